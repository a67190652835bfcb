// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    union { int *p; unsigned char b[sizeof(int *)]; } u, v;
    u.p = &x;
    for (unsigned i = 0; i < sizeof u.b; i++) v.b[i] = u.b[i];
    *v.p = 1;
    if (x) reach_error();
}
