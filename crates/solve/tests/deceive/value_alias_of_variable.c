// expect: unsafe
void reach_error(void);
int x;
extern int y __attribute__((alias("x")));
int main(void) {
    x = 0;
    y = 4;
    if (x == 4) reach_error();
    return 0;
}
