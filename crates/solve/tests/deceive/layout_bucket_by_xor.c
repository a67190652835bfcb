// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int x, y;
int main(void) {
    unsigned long n = (unsigned long)&x ^ (unsigned long)&y;
    if ((n >> 4 & 15) == 9) reach_error();
    return 0;
}
