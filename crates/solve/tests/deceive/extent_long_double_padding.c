// expect: unsafe
// data: 64
// not run: the interpreter copies all bytes
void reach_error(void);
int memcmp(const void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
int main(void) {
    long double a, b;
    memset(&a, 1, sizeof a);
    memset(&b, 2, sizeof b);
    a = 1;
    b = a;
    if (memcmp(&a, &b, sizeof a)) reach_error();
    return 0;
}
