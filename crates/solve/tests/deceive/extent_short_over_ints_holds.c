// expect: safe!
void reach_error(void);
int a[2];
int main(void) {
    short *p = (short *)a;
    for (int i = 0; i < 4; i++) p[i] = i;
    if (a[0] != 0x10000 || a[1] != 0x30002) reach_error();
}
