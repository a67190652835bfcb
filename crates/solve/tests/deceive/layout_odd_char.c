// expect: unsafe
// not run: a char may lie anywhere
void reach_error(void);
char c;
int main(void) {
    if ((unsigned long)&c % 2 == 1) reach_error();
}
