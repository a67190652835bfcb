// expect: unsafe
// An address survives in a double: it has fewer bits than the mantissa.
void reach_error(void);
int x;
int main(void) {
    double d = (double)(unsigned long)&x;
    *(int *)(unsigned long)d = 1;
    if (x) reach_error();
}
