// expect: unsafe
// not run: the search takes as long as the address is large
void reach_error(void);
int x;
int main(void) {
    char *z = 0;
    while (z != (char *)&x) z++;
    *(int *)z = 1;
    if (x) reach_error();
}
