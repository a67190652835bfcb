// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    union { int *p; double d; long long n; } u, v;
    u.n = 0;
    u.p = &x;
    double d = u.d;
    v.d = d;
    *v.p = 1;
    if (x) reach_error();
}
