// expect: unsafe
// not run: globals may have any distance
void reach_error(void);
int a, b;
int main(void) {
    unsigned long d = (unsigned long)&b - (unsigned long)&a;
    if (d != 64) reach_error();
}
