// expect: unsafe
void reach_error(void);
struct in { char c[2]; short n; };
struct out { struct in first, second; int v; } x;
int main(void) {
    char *p = x.first.c;
    for (int i = 0; i < 12; i++) p[i] = 2;
    if (x.second.n == 0x0202 && x.v == 0x02020202) reach_error();
}
