// expect: unsafe
// assuming: handler
// not run: handlers do not run there
void reach_error(void);
int atexit(void (*f)(void));
static int done;
static void last(void) { if (done) reach_error(); }
int main(void) {
    atexit(last);
    done = 1;
    return 0;
}
