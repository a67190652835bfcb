// expect: unsafe
// data: 64
void reach_error(void);
union { int *p; struct { unsigned long low : 13, mid : 30, high : 21; } b; } u, v;
int x;
int main(void) {
    u.p = &x;
    v.b.high = u.b.high;
    v.b.low = u.b.low;
    v.b.mid = u.b.mid;
    *v.p = 1;
    if (x) reach_error();
    return 0;
}
