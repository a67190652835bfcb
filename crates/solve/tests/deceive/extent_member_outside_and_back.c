// expect: unsafe
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct in { int pad[3]; int v; };
struct out { int pad; struct in in; };
// Two steps to a member; the first leads outside of the object, the second back into it.
int x, y[8];
int main(void) {
    struct out *p = (struct out *)((char *)&x - 16);
    if (__VERIFIER_nondet_int()) p = (struct out *)y;
    p->in.v = 1;
    if (x) reach_error();
    return 0;
}
