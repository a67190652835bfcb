// expect: unsafe
void reach_error(void);
struct s { char c; int v; } __attribute__((packed)) x;
int main(void) {
    char *p = &x.c;
    p[1] = 1;
    p[4] = 1;
    if (x.v == 0x01000001) reach_error();
}
