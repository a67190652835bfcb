// expect: safe!
// values: 456
void reach_error(void);
int __VERIFIER_nondet_int(void);
enum small { A = 1, B = 200 } __attribute__((packed));
int main(void) {
    enum small e = __VERIFIER_nondet_int();
    if (sizeof e != 1 || e > 255) reach_error();
    return 0;
}
