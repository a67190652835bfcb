// expect: unsafe
void reach_error(void);
static void bad(void) { reach_error(); }
int main(void) {
    unsigned long n = (unsigned long)bad ^ 255;
    ((void (*)(void))(n ^ 255))();
}
