// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
char a[4], b[4];
int main(void) {
    int n = 0;
    for (char *p = a; p < b && n < 100; p++) n++;
    if (n == 4) reach_error();
    return 0;
}
