// expect: unsafe
// values: 1
// A value that an index beyond the first array reads back.
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { int head[2]; int v; };
int main(void) {
    struct s x = { { 1, 2 }, __VERIFIER_nondet_int() };
    int *p = x.head;
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += p[i];
    if (sum == 4) reach_error();
}
