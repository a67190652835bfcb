// expect: unsafe
// not run: the table may be larger than there
void reach_error(void);
int __VERIFIER_nondet_int(void);
extern int table[];
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i == 2000 && table[i] == 1) reach_error();
    return 0;
}
