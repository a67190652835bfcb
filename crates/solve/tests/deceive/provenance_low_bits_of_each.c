// expect: unsafe
void reach_error(void);
// Tag bits travel with pointers of an array and are taken off again.
int a[4];
int main(void) {
    unsigned long t[4];
    for (int i = 0; i < 4; i++) t[i] = (unsigned long)&a[i] | (i & 1);
    for (int i = 0; i < 4; i++)
        if (t[i] & 1) *(int *)(t[i] & ~3ul) = i;
    if (a[1] == 1 && a[3] == 3 && a[2] == 0) reach_error();
    return 0;
}
