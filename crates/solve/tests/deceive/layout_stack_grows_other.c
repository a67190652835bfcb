// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
static int lower(char *outer) {
    char inner;
    return (unsigned long)&inner < (unsigned long)outer;
}
int main(void) {
    char c;
    if (lower(&c)) reach_error();
}
