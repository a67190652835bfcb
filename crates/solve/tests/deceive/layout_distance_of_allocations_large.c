// expect: unsafe
// not run: allocations may have any distance
void reach_error(void);
void *malloc(unsigned long);
int main(void) {
    unsigned long p = (unsigned long)malloc(16), q = (unsigned long)malloc(16);
    if (q - p > 100000) reach_error();
}
