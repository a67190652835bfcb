// expect: safe!
// A twin: in one round of the loop it stays where it is.
void reach_error(void);
int main(void) {
    for (int i = 0; i < 2; i++) {
        int a = i;
        int *p = &a;
        if (p != &a || *p != i) reach_error();
    }
    return 0;
}
