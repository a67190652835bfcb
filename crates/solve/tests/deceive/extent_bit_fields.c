// expect: unsafe!
void reach_error(void);
struct s { unsigned low : 4, high : 4, rest : 24; } x;
int main(void) {
    *(unsigned char *)&x = 0x5a;
    if (x.low == 0xa && x.high == 5) reach_error();
}
