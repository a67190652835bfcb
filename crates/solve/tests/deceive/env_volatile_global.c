// expect: unsafe
// assuming: volatile
// not run: what is volatile does not change there
void reach_error(void);
volatile int ready;
int main(void) {
    if (ready) reach_error();
    return 0;
}
