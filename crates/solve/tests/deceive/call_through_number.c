// expect: unsafe
void reach_error(void);
static void f(int n) { if (n == 3) reach_error(); }
int main(void) {
    unsigned long n = (unsigned long)f;
    ((void (*)(int))n)(3);
}
