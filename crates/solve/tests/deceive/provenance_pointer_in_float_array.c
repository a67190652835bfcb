// expect: unsafe
// data: 32
void reach_error(void);
int x;
float f[2];
int main(void) {
    int *p = &x;
    f[0] = *(float *)&p;
    f[1] = f[0];
    int *q = *(int **)&f[1];
    *q = 1;
    if (x) reach_error();
    return 0;
}
