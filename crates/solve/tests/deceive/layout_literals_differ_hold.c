// expect: safe!
// A twin: none of the two has the characters of the other.
void reach_error(void);
int main(void) {
    const char *p = "reader", *q = "writer";
    if (p == q) reach_error();
    return 0;
}
