// expect: unsafe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
struct s { char tag[4]; int v; } a;
int main(void) {
    int x = 11;
    memcpy(a.tag + 4, &x, sizeof x);
    if (a.v == 11) reach_error();
}
