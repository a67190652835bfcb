// expect: safe
void reach_error(void);
int x, y;
int main(void) {
    unsigned long d = (unsigned long)&y - (unsigned long)&x;
    *(int *)((unsigned long)&x + d) = 1;
    if (!y || x) reach_error();
}
