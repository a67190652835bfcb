// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
char buffer[8] __attribute__((aligned(4)));
int main(void) {
    int x = __VERIFIER_nondet_int();
    *(int *)(buffer + 4) = x;
    if (*(int *)(buffer + 4) != x || buffer[3]) reach_error();
}
