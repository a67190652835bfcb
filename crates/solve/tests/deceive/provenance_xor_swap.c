// expect: unsafe
void reach_error(void);
int x, y;
int main(void) {
    unsigned long a = (unsigned long)&x, b = (unsigned long)&y;
    a ^= b;
    b ^= a;
    a ^= b;
    *(int *)a = 1;
    if (y) reach_error();
}
