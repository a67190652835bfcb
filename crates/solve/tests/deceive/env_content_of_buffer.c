// expect: unsafe!
// not run: the content of the buffer is chosen
// What is read first of memory that nobody has written to, of a size that is not known.
unsigned __VERIFIER_nondet_uint(void);
void *malloc(unsigned long size);
void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = __VERIFIER_nondet_uint();
    if (n > 100 || i + 1 >= n) return 0;
    char *text = malloc(n);
    if (!text) return 0;
    text[0] = 'x';
    if (text[i] == 'a' && text[i + 1] == 'b') reach_error();
    return 0;
}
