// expect: safe
// Of two neighbours one is even.
void reach_error(void);
char c[2];
int main(void) {
    if ((unsigned long)&c[0] % 2 == (unsigned long)&c[1] % 2) reach_error();
}
