// expect: unsafe
// The string does not end in its array.
void reach_error(void);
unsigned long strlen(const char *);
struct s { char tag[4]; char rest[4]; } a = { { 'a', 'b', 'c', 'd' }, "ef" };
int main(void) {
    if (strlen(a.tag) == 6) reach_error();
}
