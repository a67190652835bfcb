// expect: unsafe
void reach_error(void);
struct s { char tag[4]; volatile int v; } x;
int main(void) {
    volatile unsigned char *p = (volatile unsigned char *)&x;
    p += 4;
    *p = 200;
    if (x.v == 200) reach_error();
}
