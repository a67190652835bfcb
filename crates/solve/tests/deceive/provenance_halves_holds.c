// expect: safe
void reach_error(void);
int x, y;
struct { unsigned short low; unsigned long high; } half;
int main(void) {
    half.low = (unsigned long)&x;
    half.high = (unsigned long)&x >> 16;
    *(int *)(half.high << 16 | half.low) = 1;
    if (!x || y) reach_error();
}
