// expect: unsafe!
void reach_error(void);
struct s { int a, b[2]; } x;
int main(void) {
    int *p = x.b;
    p[-1] = 7;
    if (x.a == 7) reach_error();
}
