//% run: --32
//% exit: 0
//% out: 3 4 1 2
//% out: 13 4 3
//% out: 4 1 258
//% out: 1 -13 549755813888
//% out: 1
//% out: 7 8 0
//% out: -1 8
//% run: --64
//% exit: 0
//% out: 3 4 1 2
//% out: 13 4 3
//% out: 4 1 258
//% out: 1 -13 549755813888
//% out: 1
//% out: 7 8 0
//% out: -1 8
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct line { struct point from, to; };
union word { unsigned u; unsigned char bytes[4]; short halves[2]; };
struct bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned long long c : 40; };

static struct line swap(struct line l) {
    struct line r = { .to = l.from, .from = l.to };
    return r;
}

int main(void) {
    struct line l = { { 1, 2 }, { .y = 4, .x = 3 } };
    struct line m = swap(l);
    printf("%d %d %d %d\n", m.from.x, m.from.y, m.to.x, m.to.y);
    struct line *p = &m;
    p->to = p->from;
    p->to.x += 10;
    printf("%d %d %d\n", p->to.x, (*p).to.y, p->from.x);
    union word w;
    w.u = 0x01020304;
    printf("%d %d %d\n", w.bytes[0], w.bytes[3], w.halves[1]);
    struct bits b = { 9, -1, 1ull << 39 };
    b.b += 20;
    printf("%d %d %llu\n", b.a, b.b, (unsigned long long)b.c);
    b.c *= 2;
    printf("%d\n", b.c == 0);
    struct point grid[2][3] = { [1] = { [2] = { 7, 8 } } };
    struct point copy[2][3];
    memcpy(copy, grid, sizeof grid);
    printf("%d %d %d\n", copy[1][2].x, copy[1][2].y, copy[0][0].x);
    memset(&copy[1][2], 0xff, sizeof(int));
    printf("%d %d\n", copy[1][2].x, copy[1][2].y);
    return 0;
}
