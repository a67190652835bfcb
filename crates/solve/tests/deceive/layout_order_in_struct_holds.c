// expect: safe!
void reach_error(void);
struct s { int a, b; } x;
int main(void) {
    if ((char *)&x.a >= (char *)&x.b || (unsigned long)&x.b - (unsigned long)&x.a != 4) reach_error();
}
