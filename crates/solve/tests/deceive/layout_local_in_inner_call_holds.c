// expect: safe
// Both live.
void reach_error(void);
static int same(unsigned long outer) {
    int x;
    return (unsigned long)&x == outer;
}
int main(void) {
    int y;
    if (same((unsigned long)&y)) reach_error();
}
