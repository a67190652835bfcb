// expect: unsafe
// not run: locals may have any distance
void reach_error(void);
int main(void) {
    int a, b;
    unsigned long d = (unsigned long)&a - (unsigned long)&b;
    if (d == 4) reach_error();
}
