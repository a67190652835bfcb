// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
struct __attribute__((packed)) s { char c; int n; } s;
int main(void) {
    if ((unsigned long)&s.n % 4 == 0) reach_error();
    return 0;
}
