// expect: unsafe
// not run: an address with 16 zeros at its end is aligned
void reach_error(void);
int x;
int main(void) {
    if ((unsigned short)(unsigned long)&x == 0) reach_error();
}
