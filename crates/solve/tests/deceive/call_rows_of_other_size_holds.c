// expect: safe!
// An array of structs seen as an array of smaller structs: all functions in it are of the type of the call.
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct pair { void (*e)(void); void (*f)(void); };
struct one { void (*g)(void); };
static int calls;
static void f(void) { calls = 1; }
static void other(int n) { reach_error(); }
void (*unused)(int) = other;
struct pair pairs[2] = { { f, f }, { f, f } };
int main(void) {
    struct one *ones = (struct one *)pairs;
    unsigned i = __VERIFIER_nondet_uint() % 4;
    if (!unused) return 0;
    ones[i].g();
}
