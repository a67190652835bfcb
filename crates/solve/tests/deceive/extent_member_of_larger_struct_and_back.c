// expect: unsafe
void reach_error(void);
struct large { char room[64]; int far; };
struct small { int a, b; } s;
int main(void) {
    struct large *l = (struct large *)&s;
    struct large **q = &l;
    int *far = &(*q)->far;
    far[-15] = 1;
    if (s.b == 1) reach_error();
    return 0;
}
