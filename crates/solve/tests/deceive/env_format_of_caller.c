// expect: unsafe
// assuming: format
// not run: `%n` is not modelled
// The format comes from somewhere else: it may write through an argument.
int printf(const char *format, ...);
void reach_error(void);
static void say(const char *format, int *number) { printf(format, number); }
int main(void) {
    int n = 0;
    say("ab%n", &n);
    if (n != 0) reach_error();
    return 0;
}
