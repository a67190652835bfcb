// expect: safe!
void reach_error(void);
struct s { int a, b; } __attribute__((aligned(8))) x;
int main(void) {
    x.a = 1;
    x.b = 2;
    if (*(long long *)&x != 0x0000000200000001LL) reach_error();
}
