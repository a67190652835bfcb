// expect: unsafe
// assuming: volatile
// not run: what is volatile does not change there
void reach_error(void);
int main(void) {
    volatile int x = 0;
    if (x) reach_error();
    return 0;
}
