// expect: unsafe
// The tag is added to a pointer to char.
void reach_error(void);
int x;
int main(void) {
    char *p = (char *)&x + 1;
    *(int *)(p - ((unsigned long)p & 1)) = 1;
    if (x) reach_error();
}
