// Keeps a number between two bounds, but gives back the wrong one above the upper bound.

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int clamp(int x, int low, int high) {
    if (x < low) return low;
    if (x > high) return low;
    return x;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = clamp(x, 0, 100);
    if (x >= 100 && y != 100) reach_error();
    return 0;
}
