// expect: unsafe
// assuming: extern
// not run: a function without body does nothing there
void reach_error(void);
void fill(int *p);
int main(void) {
    int x = 0;
    fill(&x);
    if (x) reach_error();
    return 0;
}
