// expect: unsafe
void reach_error(void);
struct { int a[2]; int i; int b[4]; } s;
int main(void) {
    for (s.i = 0; s.i < 3; s.i++) s.a[s.i] = 4;
    s.a[s.i + 1] = 9;
    if (s.b[3] == 9) reach_error();
    return 0;
}
