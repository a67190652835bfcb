// expect: unsafe
void reach_error(void);
struct two { int a, b; };
struct four { int w[4]; } x;
int main(void) {
    struct two t = { 5, 6 };
    *(struct two *)&x.w[1] = t;
    if (x.w[1] == 5 && x.w[2] == 6) reach_error();
}
