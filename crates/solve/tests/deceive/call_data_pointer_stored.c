// expect: unsafe
// not run: the types of call and function differ
// The address is stored as bytes of a struct.
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
static void f(int n) { reach_error(); }
struct s { char raw[sizeof(void *)]; } s;
int main(void) {
    void (*p)(int) = f, (*q)(void);
    memcpy(s.raw, &p, sizeof p);
    memcpy(&q, s.raw, sizeof q);
    q();
}
