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

/* Functions of the environment: what comes from outside is arbitrary. */

static char __craig_any_char(void) { return __VERIFIER_nondet_char(); }

/* So many bytes from outside. */
static void __craig_fill(char *to, unsigned long n) {
    for (unsigned long i = 0; i < n; i++) to[i] = __craig_any_char();
}

int __craig_model_getchar(void) {
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}
int __craig_model_fgetc(void *file) { return __craig_model_getchar(); }
int __craig_model_getc(void *file) { return __craig_model_getchar(); }

/* A line, or as much of it as there is room for. Nothing is read at the end of the file; after an error the buffer holds anything. */
char *__craig_model_fgets(char *to, int size, void *file) {
    int i = 0;
    if (size <= 0 || __VERIFIER_nondet_bool()) return 0;
    while (i < size - 1) {
        to[i] = __craig_any_char();
        if (to[i++] == '\n' || __VERIFIER_nondet_bool()) break;
    }
    to[i] = 0;
    return __VERIFIER_nondet_bool() ? to : 0;
}

char *__craig_model_gets(char *to) {
    unsigned long i = 0;
    if (__VERIFIER_nondet_bool()) return 0;
    while (__VERIFIER_nondet_bool()) {
        to[i] = __craig_any_char();
        __VERIFIER_assume(to[i] != '\n');
        i++;
    }
    to[i] = 0;
    return to;
}

long __craig_model_getline(char **line, unsigned long *size, void *file) {
    long n = __VERIFIER_nondet_long();
    __VERIFIER_assume(n == -1 || n >= 1 && n < 0x7fffffff);
    if (n < 0) return -1;
    if (!*line || *size < (unsigned long)n + 1) {
        char *more = realloc(*line, (unsigned long)n + 1);
        if (!more) return -1;
        *line = more;
        *size = (unsigned long)n + 1;
    }
    __craig_fill(*line, n);
    (*line)[n] = 0;
    return n;
}

long __craig_model_read(int from, void *to, unsigned long n) {
    long got = __VERIFIER_nondet_long();
    __VERIFIER_assume(got >= -1 && (got < 0 || (unsigned long)got <= n));
    if (got > 0) __craig_fill(to, got);
    return got;
}
long __craig_model_recv(int from, void *to, unsigned long n, int flags) { return __craig_model_read(from, to, n); }

unsigned long __craig_model_fread(void *to, unsigned long size, unsigned long count, void *file) {
    unsigned long bytes = __VERIFIER_nondet_ulong();
    if (!size || !count) return 0;
    __VERIFIER_assume(bytes <= size * count);
    __craig_fill(to, bytes);
    return bytes / size;
}

long __craig_model_time(long *to) {
    long now = __VERIFIER_nondet_long();
    if (to) *to = now;
    return now;
}

int __craig_model_gettimeofday(void *to, void *zone) {
    long *time = to;
    if (time) {
        time[0] = __VERIFIER_nondet_long();
        time[1] = __VERIFIER_nondet_long();
        __VERIFIER_assume(time[1] >= 0 && time[1] < 1000000);
    }
    return 0;
}

/* The value of a variable of the environment: nothing, or text. A program is given no longer ones than this (MAX_ARG_STRLEN). */
char *__craig_model_getenv(const char *name) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (__VERIFIER_nondet_bool()) return 0;
    __VERIFIER_assume(n < 0x20000);
    char *text = malloc(n + 1);
    if (text) text[n] = 0;
    return text;
}

/* What `scanf` stores through a pointer to characters: one of them, or text. */
void __craig_scan_text(char *to) {
    if (__VERIFIER_nondet_bool()) return;
    to[0] = __craig_any_char();
    if (__VERIFIER_nondet_bool()) return;
    unsigned long i = 0;
    while (__VERIFIER_nondet_bool()) to[i++] = __craig_any_char();
    to[i] = 0;
}

/* Conversion of text. */

static int __craig_errno;

static int __craig_digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

/* The number that text begins with, at most `most`, or `least` below zero; `sign` is told of a minus. */
static unsigned long long __craig_number(const char *s, char **end, int base, unsigned long long most,
                                         unsigned long long least, int *sign) {
    const char *start = s;
    unsigned long long value = 0, limit;
    int large = 0, digits = 0;
    *sign = 0;
    if (base < 0 || base == 1 || base > 36) {
        __craig_errno = 22;
        if (end) *end = (char *)start;
        return 0;
    }
    while (*s == ' ' || *s >= '\t' && *s <= '\r') s++;
    if (*s == '-' || *s == '+') *sign = *s++ == '-';
    if ((base == 0 || base == 16) && *s == '0' && (s[1] == 'x' || s[1] == 'X') && __craig_digit(s[2]) < 16) {
        s += 2;
        base = 16;
    } else if (base == 0) {
        base = *s == '0' ? 8 : 10;
    }
    limit = *sign ? least : most;
    for (; __craig_digit(*s) < base; s++) {
        unsigned digit = __craig_digit(*s);
        digits = 1;
        if (large || value > (limit - digit) / base || digit > limit) large = 1;
        else value = value * base + digit;
    }
    if (end) *end = (char *)(digits ? s : start);
    if (large) {
        __craig_errno = 34;
        return limit;
    }
    return value;
}

long long __craig_model_strtoll(const char *s, char **end, int base) {
    int sign;
    unsigned long long value = __craig_number(s, end, base, 0x7fffffffffffffffull, 0x8000000000000000ull, &sign);
    return (long long)(sign ? 0 - value : value);
}

long __craig_model_strtol(const char *s, char **end, int base) {
    int sign;
    unsigned long long most = ~0ul >> 1, value = __craig_number(s, end, base, most, most + 1, &sign);
    return (long)(sign ? 0 - value : value);
}

unsigned long long __craig_model_strtoull(const char *s, char **end, int base) {
    int sign, before = __craig_errno;
    __craig_errno = 0;
    unsigned long long value = __craig_number(s, end, base, ~0ull, ~0ull, &sign);
    int large = __craig_errno == 34;
    if (!__craig_errno) __craig_errno = before;
    return sign && !large ? 0 - value : value;
}

unsigned long __craig_model_strtoul(const char *s, char **end, int base) {
    int sign, before = __craig_errno;
    __craig_errno = 0;
    unsigned long long value = __craig_number(s, end, base, ~0ul, ~0ul, &sign);
    int large = __craig_errno == 34;
    if (!__craig_errno) __craig_errno = before;
    return (unsigned long)(sign && !large ? 0 - value : value);
}

long __craig_model_atol(const char *s) { return __craig_model_strtol(s, 0, 10); }
long long __craig_model_atoll(const char *s) { return __craig_model_strtoll(s, 0, 10); }

/* Which float it is is not told. */
double __craig_model_strtod(const char *s, char **end) {
    unsigned long n = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(n <= __craig_model_strlen(s));
    if (end) *end = (char *)s + n;
    return __VERIFIER_nondet_double();
}
double __craig_model_atof(const char *s) { return __craig_model_strtod(s, 0); }

/* Searching and sorting. Among equal elements any order, and any of them, will do. */

void __craig_model_qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *)) {
    char *a = base;
    for (unsigned long i = 1; i < count; i++) {
        for (unsigned long j = i; j > 0; j--) {
            char *x = a + (j - 1) * size, *y = a + j * size;
            int order = compare(x, y);
            if (order < 0 || order == 0 && __VERIFIER_nondet_bool()) break;
            for (unsigned long k = 0; k < size; k++) {
                char c = x[k];
                x[k] = y[k];
                y[k] = c;
            }
        }
    }
}

void *__craig_model_bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
                            int (*compare)(const void *, const void *)) {
    const char *a = base;
    void *found = 0;
    for (unsigned long i = 0; i < count; i++) {
        if (compare(key, a + i * size) == 0 && (!found || __VERIFIER_nondet_bool())) found = (void *)(a + i * size);
    }
    return found;
}

/* Text in pieces. */

unsigned long __craig_model_strspn(const char *s, const char *accepted) {
    unsigned long n = 0;
    while (s[n] && __craig_model_strchr(accepted, s[n])) n++;
    return n;
}

unsigned long __craig_model_strcspn(const char *s, const char *refused) {
    unsigned long n = 0;
    while (s[n] && !__craig_model_strchr(refused, s[n])) n++;
    return n;
}

char *__craig_model_strpbrk(const char *s, const char *accepted) {
    s += __craig_model_strcspn(s, accepted);
    return *s ? (char *)s : 0;
}

char *__craig_model_strtok_r(char *s, const char *between, char **rest) {
    if (!s) s = *rest;
    if (!s) return 0;
    s += __craig_model_strspn(s, between);
    if (!*s) {
        *rest = 0;
        return 0;
    }
    char *end = s + __craig_model_strcspn(s, between);
    *rest = *end ? end + 1 : 0;
    *end = 0;
    return s;
}

static char *__craig_rest;

char *__craig_model_strtok(char *s, const char *between) {
    return __craig_model_strtok_r(s, between, &__craig_rest);
}

/* `errno` of the GNU C library: one variable, which the functions here that say so change. */
int *__craig_model___errno_location(void) {
    return &__craig_errno;
}

/* What runs at the end of the program, the last that was registered first. */
static void (*__craig_registered[32])(void);
static int __craig_registrations;
extern void __craig_too_many_registered(void);

int __craig_model_atexit(void (*function)(void)) {
    if (__craig_registrations == 32) __craig_too_many_registered();
    __craig_registered[__craig_registrations++] = function;
    return 0;
}

void __craig_at_exit(void) {
    while (__craig_registrations > 0) __craig_registered[--__craig_registrations]();
}
