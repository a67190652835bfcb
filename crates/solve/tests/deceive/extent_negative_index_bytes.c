// expect: unsafe
void reach_error(void);
struct s { int a; char b[4]; } x;
int main(void) {
    char *p = x.b;
    for (int i = -4; i < 0; i++) p[i] = 1;
    if (x.a == 0x01010101) reach_error();
}
