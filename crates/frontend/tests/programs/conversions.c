/* Integer conversions, promotions and constants. Every check that fails calls reach_error. */
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

_Bool truth(int x) { return x; }
unsigned char narrow(int x) { return x; }
signed char sign(int x) { return x; }

int main(void) {
    unsigned char c = 300;
    CHECK(c == 44);
    signed char s = (signed char)200;
    CHECK(s == -56);
    CHECK((unsigned char)s == 200);
    CHECK((unsigned)s == 4294967240u);
    CHECK(truth(256) == 1 && truth(0) == 0 && truth(-1) == 1);
    CHECK(narrow(-1) == 255 && sign(255) == -1);
    short h = -1;
    unsigned short uh = h;
    CHECK(uh == 65535 && h < 0 && uh > 0);
    /* What is narrower than int is computed in int. */
    unsigned char a = 200, b = 100;
    CHECK(a + b == 300);
    CHECK((unsigned char)(a + b) == 44);
    CHECK(~a == -201);
    CHECK(-a == -200);
    /* An int meets an unsigned. */
    int minus = -1;
    unsigned one = 1;
    CHECK(minus > one);
    CHECK(minus + one == 0);
    CHECK((long long)minus < (long long)one);
    CHECK(minus / 2u == 2147483647u);
    long long big = 1LL << 40;
    CHECK((int)big == 0 && (big >> 8) == 4294967296LL);
    CHECK((unsigned)-1 > 0 && -1 > 0u);
    CHECK(-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3 && 7 % -2 == 1);
    CHECK(-8 >> 1 == -4 && (unsigned)-8 >> 1 == 2147483644u);
    CHECK(0x7fffffff + 1u == 2147483648u);
    CHECK(sizeof(0xffffffff) == 4 && 0xffffffff > 0);
    CHECK(4294967295 > 0 && sizeof(4294967296) == 8);
    CHECK('\377' == -1 && '\x41' == 65 && 'ab' == 24930);
    _Bool f = 0.5;
    CHECK(f == 1);
    f = &f;
    CHECK(f == 1 && f + f == 2);
    f--;
    CHECK(f == 0);
    f--;
    CHECK(f == 1);
    c = 255;
    c++;
    CHECK(c == 0);
    c -= 1;
    CHECK(c == 255);
    s = 127;
    s += 1;
    CHECK(s == -128);
    c = 7;
    c <<= 6;
    CHECK(c == 192);
    c >>= 1;
    CHECK(c == 96);
    uh = 65535;
    CHECK((unsigned short)(uh * 3) == 65533);
    CHECK((1 ? -1 : 0u) > 0);
    double d = 7.9;
    CHECK((int)d == 7 && (int)-d == -7 && 1 / 2.0 == 0.5 && (float)0.1 != 0.1);
    return 0;
}
