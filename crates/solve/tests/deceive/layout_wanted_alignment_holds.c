// expect: safe!
void reach_error(void);
char c __attribute__((aligned(16)));
int main(void) {
    if ((unsigned long)&c & 15) reach_error();
}
