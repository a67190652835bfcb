// expect: safe!
void reach_error(void);
struct s { char tag[4]; int v; } a[3];
int main(void) {
    char *p = (char *)a;
    for (int i = 8; i < 16; i++) p[i] = 1;
    if (a[0].v || a[2].v || a[1].v != 0x01010101) reach_error();
}
