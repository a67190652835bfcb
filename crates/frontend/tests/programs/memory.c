/* Dynamic memory, library functions, casts between pointers. */
typedef unsigned long size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
char *strcpy(char *, const char *);
char *strcat(char *, const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
int abs(int);
int printf(const char *, ...);
int sprintf(char *, const char *, ...);

void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

struct node { int value; struct node *left, *right; };

struct node *insert(struct node *t, int value) {
    if (!t) {
        t = malloc(sizeof *t);
        t->value = value;
        t->left = t->right = 0;
    } else if (value < t->value) {
        t->left = insert(t->left, value);
    } else {
        t->right = insert(t->right, value);
    }
    return t;
}

int in_order(struct node *t, int *out) {
    if (!t) return 0;
    int n = in_order(t->left, out);
    out[n++] = t->value;
    return n + in_order(t->right, out + n);
}

void release(struct node *t) {
    if (!t) return;
    release(t->left);
    release(t->right);
    free(t);
}

int main(void) {
    struct node *tree = 0;
    int values[] = { 5, 2, 8, 1, 9, 3 }, sorted[6];
    for (int i = 0; i < 6; i++) tree = insert(tree, values[i]);
    CHECK(in_order(tree, sorted) == 6);
    for (int i = 1; i < 6; i++) CHECK(sorted[i - 1] < sorted[i]);
    release(tree);
    int *grow = calloc(2, sizeof(int));
    CHECK(grow[0] == 0 && grow[1] == 0);
    grow[1] = 11;
    grow = realloc(grow, 8 * sizeof(int));
    CHECK(grow[1] == 11);
    grow[7] = 1;
    free(grow);
    unsigned char bytes[8];
    memset(bytes, 0xab, sizeof bytes);
    CHECK(*(unsigned *)bytes == 0xababababu && *(short *)(bytes + 2) < 0);
    unsigned long long whole = 0x1122334455667788ull;
    memcpy(bytes, &whole, 8);
    CHECK(bytes[0] == 0x88 && bytes[7] == 0x11);
    memmove(bytes + 1, bytes, 7);
    CHECK(bytes[1] == 0x88 && bytes[7] == 0x22 && memcmp(bytes, bytes + 1, 1) == 0);
    char buffer[64];
    strcpy(buffer, "model");
    strcat(buffer, " checker");
    CHECK(strlen(buffer) == 13 && strcmp(buffer, "model checker") == 0 && strcmp("a", "b") < 0);
    CHECK(strncmp("abcx", "abcy", 3) == 0 && *strchr(buffer, 'c') == 'c' && strchr(buffer, 'z') == 0 && abs(-4) == 4);
    CHECK(sprintf(buffer, "%d-%05u|%x|%-3c|%s|%lld", -12, 34u, 255, 'q', "str", 1LL << 40) == 34);
    CHECK(strcmp(buffer, "-12-00034|ff|q  |str|1099511627776") == 0);
    void *generic = &whole;
    CHECK(*(unsigned char *)generic == 0x88 && (char *)generic + 8 == (char *)(&whole + 1));
    size_t address = (size_t)&whole;
    CHECK(*(unsigned long long *)address == whole && ((address + 4) & 3) == 0);
    CHECK(__builtin_popcount(0xf0f0) == 8 && __builtin_clz(1) == 31 && __builtin_ctz(8) == 3 && __builtin_bswap32(0x01020304) == 0x04030201);
    int wrapped;
    CHECK(__builtin_add_overflow(2147483647, 1, &wrapped) && wrapped == -2147483647 - 1);
    CHECK(!__builtin_mul_overflow(1000, 1000, &wrapped) && wrapped == 1000000);
    printf("%d %s\n", sorted[0], "done");
    return 0;
}
