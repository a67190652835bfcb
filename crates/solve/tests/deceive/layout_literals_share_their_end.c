// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int main(void) {
    const char *p = "bookkeeper", *q = "keeper";
    if (p + 4 == q) reach_error();
    return 0;
}
