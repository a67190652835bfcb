// expect: unsafe
// not run: the interpreter chooses no address
void reach_error(void);
int x;
int main(void) {
    long a[4];
    if (a[2] == (long)&x) *(int *)a[2] = 1;
    if (x) reach_error();
}
