// expect: unsafe
// assuming: handler
// not run: handlers do not run there
void reach_error(void);
void (*signal(int number, void (*handler)(int)))(int);
static int seen;
static void on(int number) { seen = 1; }
int main(void) {
    signal(2, on);
    if (seen) reach_error();
    return 0;
}
