// expect: unsafe
// not run: one object may end where the next begins
void reach_error(void);
int main(void) {
    int a[2] = { 1, 2 }, b = 3;
    if (a + 2 == &b) reach_error();
}
