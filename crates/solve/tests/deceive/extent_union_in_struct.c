// expect: unsafe
// The union is not the last member.
void reach_error(void);
struct s { union { char c[4]; int i; } u; int v; } x;
int main(void) {
    char *p = x.u.c;
    p[4] = 9;
    if (x.v == 9) reach_error();
}
