// expect: unsafe
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int x;
unsigned char bytes[sizeof(int *)];
int main(void) {
    int *p = &x, *q;
    memcpy(bytes, &p, sizeof p);
    memcpy(&q, bytes, sizeof q);
    *q = 1;
    if (x) reach_error();
}
