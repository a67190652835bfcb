// expect: unsafe
void reach_error(void);
union u {
    struct { char tag[4]; int v; } s;
    struct { int w[2]; } t;
} x;
int main(void) {
    char *p = x.s.tag;
    x.t.w[1] = 1;
    p[5] = 1;
    if (x.s.v == 0x101) reach_error();
}
