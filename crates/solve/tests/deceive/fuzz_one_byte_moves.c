// expect: safe
// The certificate of an engine was refused.
void reach_error(void);
void *memmove(void *, const void *, unsigned long);
struct r { long long f0; };
int g[4];
int main(void) {
    if (g[0]) {
        struct r to = { 0 }, from = { 0 };
        unsigned char *p = (unsigned char *)&to, *q = (unsigned char *)&from;
        for (unsigned k = 0; k < 0; k++) p[k] ^= q[k];
        if (to.f0 != from.f0) reach_error();
    } else {
        memmove((char *)&g, (char *)&g + 1, 1);
    }
}
