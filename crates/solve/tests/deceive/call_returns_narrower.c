// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int f(void) { return 258; }
int main(void) {
    unsigned char (*p)(void) = (unsigned char (*)(void))f;
    if (p() == 2) reach_error();
}
