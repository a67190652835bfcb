// expect: unsafe
// The address is divided and multiplied.
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x, q = n / 10, r = n % 10;
    *(int *)(q * 10 + r) = 1;
    if (x) reach_error();
}
