// expect: unsafe
// The search begins near the address, and nothing of the address flows into the result.
void reach_error(void);
int x;
int main(void) {
    unsigned long a = (unsigned long)&x, n = 0, step = 1UL << (8 * sizeof n - 1);
    while (step) {
        if (n + step <= a) n += step;
        step >>= 1;
    }
    *(int *)n = 1;
    if (x) reach_error();
}
