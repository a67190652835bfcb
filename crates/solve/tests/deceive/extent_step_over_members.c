// expect: unsafe!
void reach_error(void);
struct s { int a, b, c; } x;
int main(void) {
    int *p = &x.a;
    p++;
    p++;
    *p = 4;
    if (x.c == 4) reach_error();
}
