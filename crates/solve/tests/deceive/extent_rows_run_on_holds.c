// expect: safe!
void reach_error(void);
int a[2][3];
int main(void) {
    int *p = &a[0][0];
    for (int i = 0; i < 6; i++) p[i] = i;
    if (a[1][1] != 4 || a[0][2] != 2) reach_error();
}
