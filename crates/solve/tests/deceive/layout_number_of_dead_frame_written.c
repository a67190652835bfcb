// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
unsigned long kept;
static void one(void) { int a = 1; kept = (unsigned long)&a; }
static int two(void) {
    int b = 3;
    if (kept == (unsigned long)&b) *(int *)kept = 7;
    return b;
}
int main(void) {
    one();
    if (two() == 7) reach_error();
    return 0;
}
