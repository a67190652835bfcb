// expect: unsafe
void reach_error(void);
int main(void) {
    unsigned x = 0x01020304;
    unsigned char *p = (unsigned char *)&x, t;
    t = p[0], p[0] = p[3], p[3] = t;
    t = p[1], p[1] = p[2], p[2] = t;
    if (x == 0x04030201) reach_error();
}
