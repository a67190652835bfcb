// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
int main(void) {
    int a, b;
    if ((unsigned long)&a > (unsigned long)&b) reach_error();
}
