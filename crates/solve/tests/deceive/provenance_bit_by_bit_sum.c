// expect: unsafe
// The bits decide about additions only; no part of the address flows into the result.
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x, m = 0, bit = 1;
    while (bit) {
        if (n & bit) m += bit;
        bit <<= 1;
    }
    *(int *)m = 1;
    if (x) reach_error();
}
