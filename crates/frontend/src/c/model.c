/* What functions of the C library and of GCC do, in C. A call of `strlen` goes to `__craig_model_strlen` in a program that
   uses `strlen` and does not define it. `unsigned long` is size_t in both data models. */

unsigned long __craig_model_strlen(const char *s) {
    unsigned long n = 0;
    while (s[n]) n++;
    return n;
}

unsigned long __craig_model_strnlen(const char *s, unsigned long max) {
    unsigned long n = 0;
    while (n < max && s[n]) n++;
    return n;
}

/* A result of which only the sign is told, or whether it is zero: any other number will do. */
static int __craig_like(int told) {
    int any;
    if (told < 0 ? any < 0 : told > 0 && any > 0) return any;
    return told;
}

char *__craig_model_strcpy(char *to, const char *from) {
    unsigned long i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}

char *__craig_model_strncpy(char *to, const char *from, unsigned long n) {
    unsigned long i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}

char *__craig_model_strcat(char *to, const char *from) {
    __craig_model_strcpy(to + __craig_model_strlen(to), from);
    return to;
}

char *__craig_model_strncat(char *to, const char *from, unsigned long n) {
    unsigned long end = __craig_model_strlen(to), i = 0;
    for (; i < n && from[i]; i++) to[end + i] = from[i];
    to[end + i] = 0;
    return to;
}

int __craig_model_strcmp(const char *a, const char *b) {
    unsigned long i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return __craig_like((int)(unsigned char)a[i] - (int)(unsigned char)b[i]);
}

int __craig_model_strncmp(const char *a, const char *b, unsigned long n) {
    for (unsigned long i = 0; i < n; i++) {
        if (a[i] != b[i] || !a[i]) return __craig_like((int)(unsigned char)a[i] - (int)(unsigned char)b[i]);
    }
    return 0;
}

char *__craig_model_strchr(const char *s, int c) {
    while (*s != (char)c) {
        if (!*s) return 0;
        s++;
    }
    return (char *)s;
}

char *__craig_model_strrchr(const char *s, int c) {
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c) found = s;
        if (!*s) return (char *)found;
    }
}

char *__craig_model_strstr(const char *s, const char *what) {
    unsigned long n = __craig_model_strlen(what);
    for (;; s++) {
        if (__craig_model_strncmp(s, what, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
}

char *__craig_model_strdup(const char *s) {
    char *copy = malloc(__craig_model_strlen(s) + 1);
    if (copy) __craig_model_strcpy(copy, s);
    return copy;
}

int __craig_model_memcmp(const void *a, const void *b, unsigned long n) {
    const unsigned char *x = a, *y = b;
    for (unsigned long i = 0; i < n; i++) {
        if (x[i] != y[i]) return __craig_like((int)x[i] - (int)y[i]);
    }
    return 0;
}

void *__craig_model_memchr(const void *s, int c, unsigned long n) {
    const unsigned char *x = s;
    for (unsigned long i = 0; i < n; i++) {
        if (x[i] == (unsigned char)c) return (void *)(x + i);
    }
    return 0;
}

int __craig_model_abs(int x) { return x < 0 ? -x : x; }
long __craig_model_labs(long x) { return x < 0 ? -x : x; }
long long __craig_model_llabs(long long x) { return x < 0 ? -x : x; }

int __craig_model_rand(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}

int __craig_model_atoi(const char *s) {
    int value = 0, negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    while (*s >= '0' && *s <= '9') value = value * 10 + (negative ? '0' - *s++ : *s++ - '0');
    return value;
}

int __craig_model_isdigit(int c) { return __craig_like(c >= '0' && c <= '9'); }
int __craig_model_islower(int c) { return __craig_like(c >= 'a' && c <= 'z'); }
int __craig_model_isupper(int c) { return __craig_like(c >= 'A' && c <= 'Z'); }
int __craig_model_isalpha(int c) { return __craig_like(__craig_model_islower(c) || __craig_model_isupper(c)); }
int __craig_model_isalnum(int c) { return __craig_like(__craig_model_isalpha(c) || __craig_model_isdigit(c)); }
int __craig_model_isspace(int c) { return __craig_like(c == ' ' || (c >= '\t' && c <= '\r')); }
int __craig_model_tolower(int c) { return __craig_model_isupper(c) ? c + ('a' - 'A') : c; }
int __craig_model_toupper(int c) { return __craig_model_islower(c) ? c - ('a' - 'A') : c; }

int __craig_model_clzll(unsigned long long x) {
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!(x & (1ull << 63))) { x <<= 1; n++; }
    return n;
}

int __craig_model_ctzll(unsigned long long x) {
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!(x & 1)) { x >>= 1; n++; }
    return n;
}

int __craig_model_popcountll(unsigned long long x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

int __craig_model_clz(unsigned x) { return __craig_model_clzll(x) - 32; }
int __craig_model_clzl(unsigned long x) { return __craig_model_clzll(x) - (64 - 8 * (int)sizeof(long)); }
int __craig_model_ctz(unsigned x) { return __craig_model_ctzll(x); }
int __craig_model_ctzl(unsigned long x) { return __craig_model_ctzll(x); }
int __craig_model_popcount(unsigned x) { return __craig_model_popcountll(x); }
int __craig_model_popcountl(unsigned long x) { return __craig_model_popcountll(x); }
int __craig_model_parity(unsigned x) { return __craig_model_popcountll(x) & 1; }
int __craig_model_parityl(unsigned long x) { return __craig_model_popcountll(x) & 1; }
int __craig_model_parityll(unsigned long long x) { return __craig_model_popcountll(x) & 1; }
int __craig_model_ffs(int x) { return x ? __craig_model_ctzll((unsigned)x) + 1 : 0; }
int __craig_model_ffsl(long x) { return x ? __craig_model_ctzll((unsigned long)x) + 1 : 0; }
int __craig_model_ffsll(long long x) { return x ? __craig_model_ctzll((unsigned long long)x) + 1 : 0; }

unsigned short __craig_model_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
unsigned __craig_model_bswap32(unsigned x) {
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}
unsigned long long __craig_model_bswap64(unsigned long long x) {
    return (unsigned long long)__craig_model_bswap32((unsigned)x) << 32 | __craig_model_bswap32((unsigned)(x >> 32));
}

/* `errno` of the GNU C library: one variable, which no function here changes. */
static int __craig_errno;

int *__craig_model___errno_location(void) {
    return &__craig_errno;
}
