// expect: unsafe
// The lowest byte goes through a table.
void reach_error(void);
int x;
unsigned char table[256];
int main(void) {
    unsigned long n = (unsigned long)&x;
    for (int i = 0; i < 256; i++) table[i] = i;
    n = (n & ~255UL) | table[n & 255];
    *(int *)n = 1;
    if (x) reach_error();
}
