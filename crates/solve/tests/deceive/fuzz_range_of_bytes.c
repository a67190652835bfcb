// expect: unsafe!
// A range shorter than what lies in memory that is a row of bytes was taken to change nothing.
void reach_error(void);
void *memmove(void *, const void *, unsigned long);
unsigned short from[5];
int main(void) {
    unsigned to[2][3] = {0};
    from[3] = 0xAA00;
    memmove((char *)&to + 3, (char *)&from + 7, 3);
    for (unsigned i = 0; i < 2; i++)
        if (to[0][i]) reach_error();
}
