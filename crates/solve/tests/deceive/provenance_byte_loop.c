// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    int *p = &x, *q = 0;
    for (unsigned i = 0; i < sizeof p; i++) ((char *)&q)[i] = ((char *)&p)[i];
    *q = 1;
    if (x) reach_error();
}
