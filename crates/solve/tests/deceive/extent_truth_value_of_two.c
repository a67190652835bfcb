// expect: unsafe
// What is no truth value for C is one for machines: all that is not zero.
void reach_error(void);
_Bool b;
int main(void) {
    *(char *)&b = 2;
    if (b) reach_error();
    return 0;
}
