// expect: unsafe
// not run: the value is an address
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int x;
unsigned long exposed;
int main(void) {
    exposed = (unsigned long)&x;
    unsigned low = __VERIFIER_nondet_uint(), high = __VERIFIER_nondet_uint();
    *(int *)(unsigned long)((unsigned long long)high << 32 | low) = 1;
    if (x) reach_error();
}
