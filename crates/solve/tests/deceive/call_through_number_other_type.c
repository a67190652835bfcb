// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int f(short n) { if (n == 3) reach_error(); return 0; }
int main(void) {
    unsigned long n = (unsigned long)f;
    ((void (*)(int))n)(3);
}
