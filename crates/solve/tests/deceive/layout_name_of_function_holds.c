// expect: safe!
// The name of a function is an array of its own, no literal.
void reach_error(void);
int main(void) {
    const char *p = __func__, *q = "main";
    if (p == q) reach_error();
    return 0;
}
