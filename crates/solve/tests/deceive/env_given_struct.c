// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct pair { int *first; int n; };
struct pair get(void);
int main(void) {
    int one = 1;
    struct pair ours = get();
    if (__VERIFIER_nondet_int()) ours.first = &one;
    int *q = ours.first;
    if (q && *q != 1) reach_error();
    return 0;
}
