// expect: unsafe
// not run: an int is aligned by four
void reach_error(void);
int x;
int main(void) {
    if ((unsigned long)&x % 8 == 4) reach_error();
}
