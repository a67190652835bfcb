// expect: safe!
void reach_error(void);
struct s { unsigned low : 4, high : 4, rest : 24; } x;
int main(void) {
    x.low = 3;
    x.high = 12;
    if (*(unsigned char *)&x != 0xc3) reach_error();
}
