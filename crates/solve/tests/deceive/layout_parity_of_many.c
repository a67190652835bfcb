// expect: unsafe
// not run: objects may lie as they like
void reach_error(void);
char a, b, c;
int main(void) {
    if (((unsigned long)&a + (unsigned long)&b + (unsigned long)&c) % 8 == 7) reach_error();
}
