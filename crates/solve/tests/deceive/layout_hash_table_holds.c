// expect: safe
void reach_error(void);
int x, y;
int *table[8];
static unsigned slot(int *p) { return (unsigned long)p / 4 % 8; }
int main(void) {
    table[slot(&x)] = &x;
    table[slot(&y)] = &y;
    if (table[slot(&y)] != &y) reach_error();
}
