// expect: safe!
void reach_error(void);
static int hit(int n) { if (n == 4) reach_error(); return 0; }
static int miss(int n) { return n; }
int main(void) {
    int (*f[3])(int) = { miss, hit, miss };
    for (int i = 0; i < 3; i++) f[i](i);
    return 0;
}
