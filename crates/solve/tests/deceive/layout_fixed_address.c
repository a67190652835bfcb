// expect: unsafe
// not run: an object may lie at any number
void reach_error(void);
int x;
int main(void) {
    if ((unsigned long)&x == 0x1000) reach_error();
}
