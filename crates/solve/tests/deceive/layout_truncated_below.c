// expect: unsafe
// data: 64
// not run: objects may lie below four gigabytes
void reach_error(void);
int x;
int main(void) {
    if ((unsigned long)(unsigned)(unsigned long)&x == (unsigned long)&x) reach_error();
}
