// expect: safe
void reach_error(void);
int x, y;
unsigned long store[3];
int main(void) {
    store[1] = (unsigned long)&x;
    *(int *)store[1] = 1;
    if (!x || y) reach_error();
}
