// expect: unsafe
// not run: a local of the next call may lie somewhere else
void reach_error(void);
static unsigned long where(void) {
    int x;
    return (unsigned long)&x;
}
int main(void) {
    if (where() != where()) reach_error();
}
