// expect: safe!
// A byte that was copied through memory in which truth values lie as well was cut to one bit.
void reach_error(void);
void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long);
static void copy_bytes(void *to, const void *from, unsigned long n) {
    char *t = to;
    const char *f = from;
    while (n--) *t++ = *f++;
}
struct s {
    unsigned char a[3];
    _Bool b[4];
} s[3], one;
signed char i = 7;
int main(void) {
    one = s[2];
    s[0].b[3] = 0;
    i = ((int *)&s)[0];
    one.a[2] = 3;
    unsigned char *p = malloc(sizeof one.a);
    copy_bytes(p, one.a, sizeof one.a);
    memcpy(s[0].a, p, sizeof one.a);
    if (s[i].a[2] != 3) reach_error();
}
