// expect: unsafe
void reach_error(void);
char buffer[8] __attribute__((aligned(4)));
int main(void) {
    *(int *)(buffer + 4) = 0x41424344;
    if (buffer[5] == 'C') reach_error();
}
