// expect: unsafe!
void reach_error(void);
static void clean(int *p) { if (*p == 3) reach_error(); }
int main(void) {
    int y __attribute__((cleanup(clean))) = 3;
    return 0;
}
