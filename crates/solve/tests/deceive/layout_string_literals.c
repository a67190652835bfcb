// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
int main(void) {
    const char *p = "one", *q = "two";
    if ((unsigned long)q < (unsigned long)p) reach_error();
}
