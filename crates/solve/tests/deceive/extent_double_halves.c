// expect: unsafe
void reach_error(void);
int main(void) {
    double d = 0;
    int *p = (int *)&d;
    p[1] = 0x3ff00000;
    if (d == 1.0) reach_error();
}
