// expect: safe
void reach_error(void);
int a, b;
int main(void) {
    unsigned long d = (unsigned long)&b - (unsigned long)&a;
    if (d == 1 || d == 2) reach_error();
}
