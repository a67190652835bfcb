// expect: safe
// No object reaches over the end of the address space.
void reach_error(void);
int a[4];
int main(void) {
    unsigned long n = (unsigned long)a;
    if (n + sizeof a - 1 < n) reach_error();
}
