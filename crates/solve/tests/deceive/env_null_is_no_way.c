// expect: safe!
void reach_error(void);
int *some(void);
int main(void) {
    int *p = some();
    *p = 1;
    if (!p) reach_error();
    return 0;
}
