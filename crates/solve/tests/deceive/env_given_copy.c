// expect: unsafe
// not run: what the environment gives is not there
void *memcpy(void *, const void *, unsigned long);
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct pair { int *first; int *second; };
struct pair *get(void);
int main(void) {
    int one = 1;
    struct pair ours, *p = get();
    ours.first = &one;
    ours.second = &one;
    if (!p) return 0;
    if (__VERIFIER_nondet_int()) memcpy(&ours, p, sizeof ours);
    int *q = ours.second;
    if (q && *q != 1) reach_error();
    return 0;
}
