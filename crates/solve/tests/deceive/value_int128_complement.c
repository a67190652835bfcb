// expect: unsafe
// data: 64
// values: 5
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned __int128 x = __VERIFIER_nondet_ulong();
    if (~x > 10) reach_error();
    return 0;
}
