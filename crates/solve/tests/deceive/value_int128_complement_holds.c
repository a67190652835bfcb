// expect: safe!
// data: 64
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned __int128 x = __VERIFIER_nondet_ulong();
    if (~x <= 10 || ~~x != x || (~x >> 64) != 0xffffffffffffffff) reach_error();
    return 0;
}
