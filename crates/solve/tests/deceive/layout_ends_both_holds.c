// expect: safe!
// Two objects cannot each begin where the other ends.
void reach_error(void);
int a, b;
int main(void) {
    if (&a + 1 == &b && &b + 1 == &a) reach_error();
}
