// expect: unsafe
// values: 3
// not run: the types of call and function differ
// An array of structs seen as an array of smaller structs.
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct pair { long n; void (*f)(int); };
struct one { void (*g)(void); };
static void f(int n) { reach_error(); }
struct pair pairs[2] = { { 1, f }, { 2, f } };
int main(void) {
    struct one *ones = (struct one *)pairs;
    unsigned i = __VERIFIER_nondet_uint() % 4;
    if (i & 1) ones[i].g();
}
