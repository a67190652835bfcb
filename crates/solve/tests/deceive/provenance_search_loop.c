// expect: unsafe
// not run: the search takes as long as the address is large
void reach_error(void);
int x;
int main(void) {
    unsigned long n = 0;
    while (n != (unsigned long)&x) n++;
    *(int *)n = 1;
    if (x) reach_error();
}
