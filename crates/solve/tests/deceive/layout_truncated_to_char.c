// expect: unsafe
// not run: any multiple of four may be the lowest byte
void reach_error(void);
int x;
int main(void) {
    if ((unsigned char)(unsigned long)&x == 0x44) reach_error();
}
