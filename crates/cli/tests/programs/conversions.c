//% run:
//% exit: 0
//% out: 44 -56 4464 4294967295
//% out: 0 1
//% out: -3 -1 -3 1
//% out: 2147483644 1
//% out: -4 1
//% out: -1 18446744073709551615
//% out: 1 1 98
//% out: 0
//% out: beef 10 BEEF z%
//% out: 0 255 -13
#include <stdio.h>

int main(void) {
    unsigned char c = 300;
    signed char s = (signed char)200;
    short h = (short)70000;
    unsigned u = (unsigned)-1;
    long long l = -1;
    printf("%d %d %d %u\n", c, s, h, u);
    printf("%d %d\n", -1 < u, -1 < (long long)u);
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    printf("%u %u\n", (unsigned)-7 / 2, (unsigned)-7 % 2);
    printf("%d %d\n", -8 >> 1, (int)(0x80000000u >> 31));
    printf("%lld %llu\n", l, (unsigned long long)l);
    printf("%d %d %d\n", (_Bool)256, !!3, (char)'a' + 1);
    printf("%d\n", (unsigned char)(c + 250) == c + 250);
    printf("%x %o %X %c%%\n", 48879, 8, 48879u, 'z');
    unsigned short us = 65535;
    us++;
    c -= 45;
    printf("%d %d %d\n", us, c, (c << 4) | (c & 3) ^ ~c);
    return 0;
}
