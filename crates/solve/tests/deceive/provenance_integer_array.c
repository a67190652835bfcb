// expect: unsafe
void reach_error(void);
int x;
unsigned long store[3];
int main(void) {
    store[1] = (unsigned long)&x;
    *(int *)store[1] = 1;
    if (x) reach_error();
}
