// expect: unsafe!
void reach_error(void);
int x;
int main(void) {
    short *p = (short *)&x;
    p[1] = 1;
    if (x == 0x10000) reach_error();
}
