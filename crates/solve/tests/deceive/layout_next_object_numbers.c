// expect: unsafe
// not run: one object may end where the next begins
void reach_error(void);
int a, b;
int main(void) {
    if ((unsigned long)(&a + 1) == (unsigned long)&b) reach_error();
}
