// expect: safe!
void reach_error(void);
struct s { int a, b, c; } x = { 1, 2, 3 };
int main(void) {
    int *p = &x.a, sum = 0;
    for (int i = 0; i < 3; i++) sum += *p++;
    if (sum != 6) reach_error();
}
