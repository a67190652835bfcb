// expect: unsafe
// not run: functions are not aligned
void reach_error(void);
static void f(void) {}
int main(void) {
    if ((unsigned long)f % 2 == 1) reach_error();
}
