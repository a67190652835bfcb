// expect: safe
void reach_error(void);
void *malloc(unsigned long);
int main(void) {
    unsigned long p = (unsigned long)malloc(16), q = (unsigned long)malloc(16);
    if (q > p && q - p < 16) reach_error();
}
