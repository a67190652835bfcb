// expect: safe!
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int i = __VERIFIER_nondet_int(), j = i + 1;
    if (j < i) reach_error();
    return 0;
}
