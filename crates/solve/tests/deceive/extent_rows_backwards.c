// expect: unsafe
void reach_error(void);
int a[3][2];
int main(void) {
    int *p = a[2];
    p[-3] = 8;
    if (a[0][1] == 8) reach_error();
}
