// expect: safe!
void reach_error(void);
int atexit(void (*f)(void));
void _exit(int status);
static void last(void) { reach_error(); }
int main(void) {
    atexit(last);
    _exit(0);
}
