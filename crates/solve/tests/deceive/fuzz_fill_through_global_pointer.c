// expect: unsafe
void reach_error(void);
struct r { signed char f0[4]; long long f1; } g;
struct r *p = &g;
int main(void) {
    unsigned char *q = (unsigned char *)p->f0;
    for (unsigned k = 0; k < sizeof *p; k++) q[k] = 1;
    if (g.f1) reach_error();
}
