// expect: unsafe
void reach_error(void);
struct s { int a, b; } x;
int main(void) {
    long d = (char *)&x.b - (char *)&x.a;
    *(int *)((char *)&x.a + d) = 1;
    if (x.b) reach_error();
}
