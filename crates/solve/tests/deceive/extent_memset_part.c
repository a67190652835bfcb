// expect: unsafe
void reach_error(void);
void *memset(void *, int, unsigned long);
struct s { char tag[4]; int v; } a;
int main(void) {
    memset(a.tag, 1, 6);
    if (a.v == 0x0101) reach_error();
}
