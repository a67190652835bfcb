// expect: unsafe
// The bound is a pointer to the end of the object.
void reach_error(void);
struct s { char tag[4]; int v; char last; } a;
int main(void) {
    char *p, *end = (char *)(&a + 1);
    for (p = (char *)&a; p < end; p++) *p = 1;
    if (a.last == 1) reach_error();
}
