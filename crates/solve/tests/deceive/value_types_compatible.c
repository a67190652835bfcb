// expect: unsafe
// data: 64
// not run: two types are one to us
void reach_error(void);
int main(void) {
    if (!__builtin_types_compatible_p(long, long long) && !__builtin_types_compatible_p(char, signed char)) reach_error();
    return 0;
}
