// expect: unsafe!
void reach_error(void);
int atexit(void (*f)(void));
static int done;
static void last(void) { if (done) reach_error(); }
int main(void) {
    atexit(last);
    done = 1;
    return 0;
}
