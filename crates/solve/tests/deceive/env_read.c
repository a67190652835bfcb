// expect: unsafe!
// values: 1, 7
void reach_error(void);
long read(int from, void *to, unsigned long n);
int main(void) {
    char c = 0;
    if (read(0, &c, 1) == 1 && c == 7) reach_error();
    return 0;
}
