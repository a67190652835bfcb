// A walk in steps of three towards a fence that is far away. Whoever unwinds the loop does not get there; the invariant is a
// remainder and a bound.
extern void reach_error(void);

int main(void) {
    int at = 0;
    while (at < 900000) {
        at += 3;
    }
    if (at != 900000) {
        reach_error();
    }
    return 0;
}
