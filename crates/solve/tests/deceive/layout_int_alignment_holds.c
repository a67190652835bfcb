// expect: safe!
void reach_error(void);
int x;
int main(void) {
    if ((unsigned long)&x % 4 != 0) reach_error();
}
