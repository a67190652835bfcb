// expect: safe!
void reach_error(void);
int x;
extern int y __attribute__((alias("x")));
int main(void) {
    y = 4;
    if (x != 4) reach_error();
    x = 5;
    if (y != 5) reach_error();
    return 0;
}
