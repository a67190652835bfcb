// expect: unsafe
// not run: one object may end where the next begins
void reach_error(void);
int a[1], b;
int main(void) {
    if (&a[1] == &b) reach_error();
}
