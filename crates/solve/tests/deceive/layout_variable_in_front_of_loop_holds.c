// expect: safe!
// A twin: the block of the variable is entered once.
void reach_error(void);
int main(void) {
    unsigned long last = 0;
    {
        int a = 0;
        for (int i = 0; i < 2; i++) {
            if (last && last != (unsigned long)&a) reach_error();
            last = (unsigned long)&a;
        }
    }
    return 0;
}
