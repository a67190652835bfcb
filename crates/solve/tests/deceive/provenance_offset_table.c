// expect: unsafe
// Offsets from the start of an object are numbers in a table.
void reach_error(void);
struct s { char c[4]; int v, w; } x;
unsigned offset[2];
int main(void) {
    offset[0] = (unsigned long)&x.v - (unsigned long)&x;
    offset[1] = (unsigned long)&x.w - (unsigned long)&x;
    *(int *)((unsigned long)&x + offset[1]) = 1;
    if (x.w) reach_error();
}
