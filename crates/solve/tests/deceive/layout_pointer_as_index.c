// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int hits[8], x[8];
int main(void) {
    for (int i = 0; i < 8; i++) hits[(unsigned long)&x[i] / 4 % 8] = i + 1;
    if (hits[5] == 1) reach_error();
    return 0;
}
