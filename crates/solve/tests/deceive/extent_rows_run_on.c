// expect: unsafe!
void reach_error(void);
int a[2][3];
int main(void) {
    for (int i = 0; i < 6; i++) a[0][i] = i;
    if (a[1][1] == 4) reach_error();
}
