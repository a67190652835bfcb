// expect: unsafe
void reach_error(void);
int x;
extern int y __asm__("x");
int main(void) {
    y = 4;
    if (x == 4) reach_error();
    return 0;
}
