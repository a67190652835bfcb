// expect: unsafe
// not run: a short is aligned by two
void reach_error(void);
short s[2];
int main(void) {
    if ((unsigned long)s % 4 == 2) reach_error();
}
