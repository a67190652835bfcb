// expect: unsafe
// The source runs on from one member to the next.
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
struct s { char tag[4]; char rest[4]; } a;
char out[8];
int main(void) {
    a.rest[3] = 9;
    memcpy(out, a.tag, 8);
    if (out[7] == 9) reach_error();
}
