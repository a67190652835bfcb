// expect: unsafe
// values: 0, 0
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    int by = __VERIFIER_nondet_int();
    int kind = __VERIFIER_nondet_int();
    switch (kind) {
    case 1:
        if (12 / by == 5) reach_error();
        break;
    case 0:
        if (by == 0) reach_error();
    }
    return 0;
}
