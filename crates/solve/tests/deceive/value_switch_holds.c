// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), k = 0;
    if (n < 1 || n > 9) return 0;
    unsigned rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { k++;
    case 3: k++;
    case 2: k++;
    case 1: k++;
            } while (--rounds > 0);
    }
    if (k != n) reach_error();
    return 0;
}
