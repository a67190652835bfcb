// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int memcmp(const void *, const void *, unsigned long);
int x, y;
int main(void) {
    int *p = &x, *q = &y;
    if (memcmp(&p, &q, sizeof p) > 0) reach_error();
    return 0;
}
