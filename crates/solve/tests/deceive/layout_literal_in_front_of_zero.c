// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int main(void) {
    const char *p = "one\0two", *q = "one";
    if (p == q) reach_error();
    return 0;
}
