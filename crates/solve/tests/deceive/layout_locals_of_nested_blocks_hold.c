// expect: safe!
// A twin: the outer variable lives while the inner one does.
void reach_error(void);
int main(void) {
    unsigned long n;
    {
        int a = 1;
        n = (unsigned long)&a;
        { int b = 2; if (n == (unsigned long)&b) reach_error(); }
    }
    return 0;
}
