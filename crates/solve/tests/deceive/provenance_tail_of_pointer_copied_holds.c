// expect: safe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int x, y;
int main(void) {
    int *p = &x, *q = &y;
    memcpy((char *)&q + 1, (char *)&p + 1, sizeof p - 1);
    memcpy(&q, &p, 1);
    *q = 1;
    if (x != 1 || y) reach_error();
    return 0;
}
