// expect: safe!
void reach_error(void);
struct s { int n; char c[6]; short h; } s[3];
int main(void) {
    for (int i = 0; i < 3; i++)
        if ((unsigned long)&s[i].c[2] % 2 || (unsigned long)&s[i].h % 2 || (unsigned long)&s[i].c % 4) reach_error();
    return 0;
}
