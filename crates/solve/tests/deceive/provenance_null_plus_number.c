// expect: unsafe
void reach_error(void);
int __VERIFIER_nondet_int(void);
int x;
int main(void) {
    int c = __VERIFIER_nondet_int();
    char *z = c ? (char *)0 : (char *)8;
    z = z + ((unsigned long)&x - (c ? 0 : 8));
    *(int *)z = 1;
    if (x) reach_error();
}
