// expect: safe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int __VERIFIER_nondet_int(void);
int m[4][3];
int main(void) {
    int key = __VERIFIER_nondet_int();
    m[0][2] = key;
    for (int i = 0; i < 3; i++) memcpy(m[i + 1], m[i], sizeof m[i]);
    if (m[3][2] != key || m[3][1] != 0) reach_error();
    return 0;
}
