// expect: safe!
void reach_error(void);
int memcmp(const void *, const void *, unsigned long);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    b.v = 1;
    if (memcmp(&a, &b, sizeof a) == 0) reach_error();
    a = b;
    if (memcmp(&a, &b, sizeof a) != 0) reach_error();
}
