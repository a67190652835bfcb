// expect: unsafe!
void reach_error(void);
union u { unsigned char b[4]; int i; } x;
int main(void) {
    for (int i = 0; i < 4; i++) x.b[i] = i;
    if (x.i == 0x03020100) reach_error();
}
