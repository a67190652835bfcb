// expect: unsafe
// A constant index behind the array, within the struct.
void reach_error(void);
struct s { char tag[4]; char v; } a;
int main(void) {
    char *p = a.tag;
    p[4] = 5;
    if (a.v == 5) reach_error();
}
