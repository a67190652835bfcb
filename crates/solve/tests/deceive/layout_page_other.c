// expect: unsafe
// not run: two objects may lie in two pages
void reach_error(void);
int a, b;
int main(void) {
    if ((unsigned long)&a >> 12 != (unsigned long)&b >> 12) reach_error();
}
