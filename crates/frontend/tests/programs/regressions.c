/* One check for every bug that random programs found. Every check that fails calls reach_error. */
int memcmp(const void *, const void *, unsigned long);
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

/* An enumerator that is no int has the type of its enumeration. */
enum unsigned_values { HIGH = 0x80000000u };
enum both { LOW = -1, ALSO_HIGH = 0x80000000u };

/* An alignment that a typedef gives goes along with the type. */
typedef long long four __attribute__((aligned(4)));
typedef four four_too[2];
typedef int wide_int __attribute__((aligned(16)));
struct aligned { char a; four b; four_too c; wide_int d; };
struct by_keyword { char a; _Alignas(8) char b; _Alignas(double) char c; };
/* The last attribute counts. */
struct __attribute__((aligned(32))) twice { char a; } __attribute__((aligned(8)));

#pragma pack(push, 2)
struct packed_two { char a; int b; long long c; };
#pragma pack(pop)
struct not_packed { char a; int b; };

/* A bit-field wider than int is computed in its own number of bits. */
struct wide_field { unsigned long long bits : 40; } wide = {-1};

/* After a designator the list goes on behind the sub-object that it names, however deep that is. */
struct inner { int a, b; };
struct outer { struct inner p; struct { int c, d; }; union { int whole; char part; } u; };
struct outer goes_on = {.p.a = 1, 2, 3, 4}, elided = {.p = 5, 6, .c = 7, 8}, anew = {.p.a = 1, .p = {.b = 2}};
struct outer last_member = {.u.whole = 0x1234, .u.part = 5}, many = {.p = {1, 2}, {3, 4}, {5}, .p.b = 9};
int grid[2][3] = {[0][1] = 1, 2, 3, [1][1] = 5, 6}, scalar = {7, 8};
/* A global whose value another initialiser reads has it by then. */
const int six = 6;
int copy_of_six = six, open_array[];

/* A literal at file scope is no body of a function. */
int *literal = (int[]){1, 2}, after = 3;
struct inner *pointed = &(struct inner){4, 5};

/* Inside a struct, one with a tag and without a declarator is no member. */
struct around { struct tagged { int t; }; int own; struct { int inside; }; };

/* The parameters before are known to the declarators behind them. */
static int sum(int n, int values[n]) {
    int total = 0;
    for (int i = 0; i < n; i++) total += values[i];
    return total;
}

int main(void) {
    CHECK(goes_on.p.b == 2 && goes_on.c == 3 && goes_on.d == 4);
    CHECK(elided.p.a == 5 && elided.p.b == 6 && elided.c == 7 && elided.d == 8);
    CHECK(anew.p.a == 0 && anew.p.b == 2 && last_member.u.whole == 5 && many.p.b == 9 && many.c == 3 && many.u.whole == 5);
    CHECK(grid[0][2] == 2 && grid[1][0] == 3 && grid[1][2] == 6 && scalar == 7);
    CHECK(copy_of_six == 6 && open_array[0] == 0 && sum(3, grid[1]) == 14);
    CHECK(literal[1] == 2 && after == 3 && pointed->b == 5);
    CHECK(sizeof(struct around) == 8 && sizeof(struct tagged) == 4);
    CHECK(sizeof HIGH == 4 && HIGH > 0 && sizeof(enum unsigned_values) == 4);
    CHECK(sizeof ALSO_HIGH == 8 && sizeof LOW == 4 && sizeof(enum both) == 8);
    CHECK(__builtin_offsetof(struct aligned, b) == 4 && __builtin_offsetof(struct aligned, c) == 12);
    CHECK(_Alignof(four) == 4 && _Alignof(four_too) == 4 && _Alignof(struct aligned) == 16);
    CHECK(__builtin_offsetof(struct by_keyword, b) == 8 && sizeof(struct twice) == 8);
    CHECK(sizeof(struct packed_two) == 14 && sizeof(struct not_packed) == 8);
    CHECK(wide.bits + 1 == 0);
    /* The types of wide characters; escapes of GNU C. */
    CHECK(U'\xffffffff' > 0 && sizeof(u'x') == 2 && u'\xffff' == 65535 && '\e' == 27);
    CHECK(memcmp("\u00e4x", "\303\244x", 4) == 0 && L'\u00e4' == 228);
    /* The result of a comparison becomes a float or a pointer. */
    int one = 1;
    float f = one == 1;
    double d = !one;
    void *p = (void *)(long)(one > 0);
    CHECK(f == 1 && d == 0 && p);
    /* A constant that the type of the result cannot hold. */
    unsigned char narrow;
    CHECK(__builtin_add_overflow((unsigned char)200, (unsigned char)100, &narrow) && narrow == 44);
    CHECK(!__builtin_add_overflow((unsigned char)1, 254, &narrow) && narrow == 255);
    /* Assembler without operands is no call. */
    asm("nop");
    return 0;
}
