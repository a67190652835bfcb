// expect: unsafe
// Bytes from one element of an array into the next.
void reach_error(void);
struct s { char tag[4]; int v; } a[3];
int main(void) {
    char *p = a[0].tag;
    for (int i = 0; i < 24; i++) p[i] = 1;
    if (a[2].v == 0x01010101) reach_error();
}
