// expect: unsafe
void reach_error(void);
int x, y;
int main(void) {
    long d = (char *)&y - (char *)&x;
    char *p = (char *)&x + d;
    *(int *)p = 1;
    if (y) reach_error();
    return 0;
}
