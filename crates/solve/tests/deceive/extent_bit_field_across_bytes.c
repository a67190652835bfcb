// expect: unsafe
void reach_error(void);
struct s { unsigned a : 6, b : 5, c : 21; } x;
int main(void) {
    unsigned char *p = (unsigned char *)&x;
    p[0] = 0x80;
    p[1] = 0x03;
    if (x.b == 14) reach_error();
}
