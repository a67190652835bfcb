// expect: unsafe
// not run: the hash of an address may be any
void reach_error(void);
int x;
int main(void) {
    unsigned h = (unsigned long)&x >> 4;
    h = h % 13;
    if (h == 11) reach_error();
}
