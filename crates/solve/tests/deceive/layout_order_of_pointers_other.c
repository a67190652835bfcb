// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
int x, y;
int main(void) {
    if (&x > &y) reach_error();
}
