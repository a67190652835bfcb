// expect: unsafe
void reach_error(void);
struct s { int a, b; } __attribute__((aligned(8))) x;
int main(void) {
    *(long long *)&x = 0x0000000200000001LL;
    if (x.a == 1 && x.b == 2) reach_error();
}
