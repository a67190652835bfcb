// expect: unsafe
// not run: the interpreter gives it zeros
// Of an array that another file defines neither the length nor the content is known.
void reach_error(void);
extern int a[];
int main(void) {
    if (a[2] == 5) reach_error();
    return 0;
}
