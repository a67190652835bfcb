// expect: unsafe
// not run: three objects may lie in a row
void reach_error(void);
char a[4], b[4], c[4];
int main(void) {
    unsigned long n = (unsigned long)a;
    if (n + 4 == (unsigned long)b && n + 8 == (unsigned long)c) reach_error();
}
