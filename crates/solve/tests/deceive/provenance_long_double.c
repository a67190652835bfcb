// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    long double d = (unsigned long)&x;
    *(int *)(unsigned long)d = 1;
    if (x) reach_error();
}
