// expect: unsafe
void reach_error(void);
void g(int n) { if (n == 4) reach_error(); }
void f(int n) __attribute__((alias("g")));
int main(void) {
    f(4);
    return 0;
}
