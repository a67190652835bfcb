// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
int x, y;
int main(void) {
    unsigned long a = (unsigned long)&x, b = (unsigned long)&y;
    if (b < a) reach_error();
}
