// expect: unsafe!
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x ^ 0x5a5a5a5a;
    *(int *)(n ^ 0x5a5a5a5a) = 1;
    if (x) reach_error();
}
