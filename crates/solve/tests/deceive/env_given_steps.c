// expect: unsafe!
// not run: the interpreter gives null
// A pointer of the environment that walks.
void reach_error(void);
int *numbers(void);
int main(void) {
    int *p = numbers();
    int sum = 0;
    if (!p) return 0;
    for (int i = 0; i < 3; i++) {
        if (*p < 0 || *p > 9) return 0;
        sum += *p;
        p++;
    }
    if (sum == 27) reach_error();
    return 0;
}
