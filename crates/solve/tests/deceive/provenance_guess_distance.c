// expect: unsafe
// not run: the value is a distance
// A guessed distance leads from one object to the other, which is exposed.
void reach_error(void);
long __VERIFIER_nondet_long(void);
int x, y;
int main(void) {
    unsigned long a = (unsigned long)&x, b = (unsigned long)&y;
    a += __VERIFIER_nondet_long();
    if (a == b) {
        *(int *)a = 1;
        if (y == 1) reach_error();
    }
}
