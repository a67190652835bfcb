// expect: safe!
void reach_error(void);
int atexit(void (*f)(void));
void exit(int status);
static int order;
static void first(void) { if (order != 2) reach_error(); order = 3; }
static void second(void) { if (order != 1) reach_error(); order = 2; }
__attribute__((constructor(102))) static void later(void) { if (order != 5) reach_error(); order = 0; }
__attribute__((constructor(101))) static void sooner(void) { order = 5; }
__attribute__((destructor)) static void at_last(void) { if (order != 3) reach_error(); }
static void leave(void) { order = 1; exit(0); }
int main(void) {
    if (order != 0) reach_error();
    atexit(first);
    atexit(second);
    leave();
    reach_error();
}
