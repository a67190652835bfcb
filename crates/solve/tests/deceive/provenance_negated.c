// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    unsigned long n = ~(unsigned long)&x;
    *(int *)(-n - 1) = 1;
    if (x) reach_error();
}
