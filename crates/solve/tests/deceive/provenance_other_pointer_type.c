// expect: unsafe
// A pointer is stored as one type and read as another.
void reach_error(void);
int x;
int main(void) {
    int *p = &x;
    char *q = *(char **)&p;
    *q = 1;
    if (x) reach_error();
}
