// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { signed char f0[4]; unsigned f1; };
int main(void) {
    struct r to[2] = { 0 }, from[2] = { 0 };
    from[1].f1 = __VERIFIER_nondet_int() & 1 ? 6 : 0;
    signed char *p = (signed char *)&to, *q = (signed char *)&from;
    for (signed char *end = p + sizeof to; p != end;) *p++ = *q++;
    if (to[1].f1 == 6) reach_error();
}
