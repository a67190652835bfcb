// expect: safe
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
struct r { signed char f0[3]; unsigned long f1; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    char *p = (char *)to.f0, *q = (char *)&from;
    memcpy(p, q, 7);
    memcpy(p + 7, q + 7, sizeof to - 7);
    if (to.f1 == 1) reach_error();
}
