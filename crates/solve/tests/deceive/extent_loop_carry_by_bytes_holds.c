// expect: safe!
void reach_error(void);
int main(void) {
    union { unsigned short n; unsigned char b[2]; } u = { 0 };
    for (int i = 0; i < 5; i++)
        if (++u.b[0] == 0) u.b[1]++;
    if (u.n != 5) reach_error();
    return 0;
}
