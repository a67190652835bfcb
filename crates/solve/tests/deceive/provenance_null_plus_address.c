// expect: unsafe
// not run: the interpreter does not leave null
void reach_error(void);
int x;
int main(void) {
    *(int *)((char *)0 + (unsigned long)&x) = 1;
    if (x) reach_error();
    return 0;
}
