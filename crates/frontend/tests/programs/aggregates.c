/* Structs, unions, bit-fields, arrays, initialisers. */
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

struct point { int x, y; };
struct line { struct point from, to; char tag; };
union word { unsigned u; unsigned char bytes[4]; struct { unsigned short low, high; }; };
struct bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned c : 1; signed d : 1; _Bool e : 1; unsigned long long f : 33; };
struct list { int value; struct list *next; };

struct point origin;
struct line known = { .to = { 3, 4 }, .from.x = 1, .tag = 'k' };
int table[3][2] = { { 1, 2 }, { 3 }, 5, 6 };
int sparse[] = { [2] = 7, 8, [0] = 1, [5 ... 6] = 9 };
char text[] = "abc", fixed[6] = "xy", list_of[2][4] = { "one", { 't', 'w', 'o', 0 } };
struct list second = { 2, 0 }, first = { 1, &second };
int (*const choice[2])(int);

struct point move(struct point p, int by) { p.x += by; return p; }
struct point swap(struct point p) { return (struct point){ p.y, .y = p.x }; }
static int total(int n, int m[][2]) { int s = 0; for (int i = 0; i < n; i++) s += m[i][0] * m[i][1]; return s; }

int main(void) {
    CHECK(origin.x == 0 && known.from.x == 1 && known.from.y == 0 && known.to.y == 4 && known.tag == 'k');
    CHECK(table[0][1] == 2 && table[1][0] == 3 && table[1][1] == 0 && table[2][0] == 5 && table[2][1] == 6);
    CHECK(sizeof sparse == 7 * sizeof(int) && sparse[0] == 1 && sparse[1] == 0 && sparse[2] == 7 && sparse[3] == 8);
    CHECK(sparse[4] == 0 && sparse[5] == 9 && sparse[6] == 9);
    CHECK(sizeof text == 4 && text[2] == 'c' && text[3] == 0 && fixed[1] == 'y' && fixed[5] == 0);
    CHECK(list_of[0][2] == 'e' && list_of[1][0] == 't' && list_of[1][3] == 0);
    CHECK(first.next->value == 2 && first.next->next == 0);
    struct point p = { 1, 2 }, q;
    q = move(p, 10);
    CHECK(p.x == 1 && q.x == 11 && q.y == 2);
    q = swap(swap(q));
    CHECK(q.x == 11 && move(q, 1).x == 12);
    struct line l = known;
    l.to = p;
    struct point *r = &l.to;
    r->y = 77;
    CHECK(l.to.y == 77 && known.to.y == 4 && (&l)->to.x == 1);
    struct point many[3] = { { 1 }, [2] = { .y = 9 } };
    CHECK(many[0].x == 1 && many[1].x == 0 && many[2].y == 9);
    many[1] = many[2];
    CHECK(many[1].y == 9 && &many[2] - &many[0] == 2 && (char *)&many[1] - (char *)many == sizeof(struct point));
    union word w = { 0x01020304 };
    CHECK(w.bytes[0] == 4 && w.bytes[3] == 1 && w.low == 0x0304 && w.high == 0x0102);
    w.bytes[1] = 0xff;
    CHECK(w.u == 0x0102ff04u);
    struct bits b = { 9, 17, 1, 1, 2, 1ull << 32 };
    CHECK(b.a == 1 && b.b == -15 && b.c == 1 && b.d == -1 && b.e == 1 && b.f == 1ull << 32);
    b.a = 7;
    b.a++;
    CHECK(b.a == 0 && (b.a = 10) == 2 && (b.b = -1) == -1 && b.b == -1);
    b.c = 2;
    CHECK(b.c == 0 && b.a - 3 < 0);
    b.e = 4;
    CHECK(b.e == 1);
    int m[2][2] = { { 1, 2 }, { 3, 4 } };
    CHECK(total(2, m) == 14 && *(*(m + 1) + 1) == 4 && 1[m][0] == 3);
    int n = 5, dynamic[n + 1];
    for (int i = 0; i <= n; i++) dynamic[i] = i * i;
    CHECK(dynamic[5] == 25 && sizeof dynamic == 6 * sizeof(int));
    int *end = &m[1][2], *start = m[0];
    CHECK(end - start == 4 && start < end && end[-1] == 4);
    CHECK(__builtin_offsetof(struct line, to.y) == 12 && (unsigned long)&((struct line *)0)->tag == 16);
    char *s = "hello" " " "world";
    CHECK(s[5] == ' ' && s[11] == 0 && sizeof "abc" == 4 && *("xyz" + 1) == 'y');
    int *literal = (int[]){ 4, 5, 6 };
    CHECK(literal[1] == 5 && ((struct point){ .y = 3 }).y == 3);
    struct point copies[2] = { p, q };
    CHECK(copies[1].x == 11);
    return 0;
}
