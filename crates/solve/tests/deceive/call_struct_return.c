// expect: unsafe
// not run: a struct of one int is returned as an int by this machine only
void reach_error(void);
int x;
struct one { int v; };
static struct one f(void) { struct one o = { 5 }; x = 1; return o; }
int main(void) {
    int (*p)(void) = (int (*)(void))f;
    p();
    if (x) reach_error();
}
