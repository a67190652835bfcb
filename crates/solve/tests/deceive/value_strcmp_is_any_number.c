// expect: unsafe
// data: 64
// not run: the interpreter has one result for each comparison
void reach_error(void);
int strcmp(const char *, const char *);
int main(void) {
    if (strcmp("a", "c") == -1) reach_error();
    return 0;
}
