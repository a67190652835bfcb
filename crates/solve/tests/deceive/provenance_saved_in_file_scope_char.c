// expect: unsafe
// The pointer lies in a buffer of chars, aligned by hand.
void reach_error(void);
int x;
char buffer[3 * sizeof(int *)];
int main(void) {
    int **slot = (int **)((unsigned long)(buffer + sizeof(int *) - 1) & ~(sizeof(int *) - 1));
    *slot = &x;
    **slot = 1;
    if (x) reach_error();
}
