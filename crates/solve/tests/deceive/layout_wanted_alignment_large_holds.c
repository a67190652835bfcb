// expect: safe!
void reach_error(void);
_Alignas(256) int a;
int b __attribute__((aligned(64)));
struct { char c; int d __attribute__((aligned(32))); } s;
int main(void) {
    _Alignas(128) int l;
    if ((unsigned long)&a % 256 || (unsigned long)&b % 64 || (unsigned long)&s.d % 32 || (unsigned long)&l % 128) reach_error();
    return 0;
}
