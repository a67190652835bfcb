// expect: unsafe
// not run: an array of chars may lie anywhere
void reach_error(void);
int main(void) {
    char buffer[16];
    if ((unsigned long)buffer & 3) reach_error();
}
