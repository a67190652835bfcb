// expect: safe!
void reach_error(void);
int x;
int main(void) {
    int *p = &x;
    if (!p || (unsigned long)p == 0) reach_error();
}
