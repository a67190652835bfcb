//! Programs that do what makes such an analysis miss something.

macro_rules! programs {
    ($($name:literal: $text:literal),* $(,)?) => {
        pub const PROGRAMS: &[(&str, &str)] = &[$(($name, concat!(
            "extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);\n",
            "extern void *realloc(void *, unsigned long); extern void free(void *);\n",
            "extern void *memcpy(void *, const void *, unsigned long); extern void *memset(void *, int, unsigned long);\n",
            "extern void *memmove(void *, const void *, unsigned long); extern int sprintf(char *, const char *, ...);\n",
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n",
            $text))),*];
    };
}

programs! {
    "pointers to locals": "
        int main() {
            int x = 1, y = 2, *p = &x, **pp = &p;
            *p = 5; *pp = &y; *p = 6; **pp = 7;
            if (x != 5 || y != 7) reach_error();
            return x + y;
        }",
    "arrays": "
        int a[10], b[10];
        int sum(int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
        int main() {
            for (int i = 0; i < 10; i++) { a[i] = i; b[9 - i] = a[i]; }
            int *p = a, *end = a + 10;
            while (p != end) { *p = *p + 1; p++; }
            while (end-- != a) *end += 1;
            return sum(a, 10) + sum(b, 5) + a[3] + b[4];
        }",
    "constant indices": "
        int a[10];
        int main() { a[0] = 1; a[3] = 2; int *p = &a[3]; p[-3] = 7; p[1] = 9; return a[0] + a[3] + a[4]; }",
    "rows": "
        int m[4][5];
        int main() {
            int *p = &m[0][0];
            for (int i = 0; i < 20; i++) p[i] = i;
            for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) m[i][j] += 1;
            int (*row)[5] = m; row += 2; (*row)[3] = 42; m[1][2] = 8;
            return m[2][3] + p[7];
        }",
    "nested structures": "
        struct in { int a, b; }; struct out { struct in i[3]; struct in *p; int n; } g, h;
        int main() {
            struct out *o = &g; o->p = &o->i[1]; o->p->b = 3; o->i[__VERIFIER_nondet_int() ? 0 : 2].a = 4;
            h = g; h.p->a = 9; h.i[1].b = 8; o = &h; o->n = 1; *o = g; o->p = &h.i[2]; o->p->b = 77;
            struct in t = *o->p; g.i[0] = t;
            return g.i[1].b + h.i[2].b + t.b;
        }",
    "a list on the heap": "
        struct node { int v; struct node *next; };
        int main() {
            struct node *head = 0;
            for (int i = 0; i < 5; i++) {
                struct node *n = malloc(sizeof *n); n->v = i; n->next = head; head = n;
            }
            int s = 0;
            for (struct node *n = head; n; n = n->next) { s += n->v; n->v = -n->v; }
            while (head) { struct node *n = head->next; free(head); head = n; }
            return s;
        }",
    "one object on the heap": "
        struct s { int state; int *p; };
        int main() { struct s *p = malloc(sizeof *p); p->state = 1; p->p = &p->state; *p->p = 2; if (p->state != 2) reach_error(); return 0; }",
    "unions": "
        union u { int i; char c[4]; struct { short lo, hi; } s; void *p; int *ip; }; int x;
        struct tagged { int tag; union { int i; int *p; } v; } t1, t2;
        int main() {
            union u u; u.i = 0x01020304; int a = u.c[0] + u.s.hi; u.c[1] = 9; a += u.i;
            u.ip = &x; *(int *)u.p = 4; t1.tag = 1; t1.v.i = 5; t2.tag = 2; t2.v.p = &x; *t2.v.p += 1; t1 = t2; *t1.v.p += 1;
            return a + x;
        }",
    "container of": "
        struct link { struct link *next, *prev; };
        struct item { int v; struct link l; int w; } a, b; struct link head;
        struct item *item(struct link *p) { return (struct item *)((char *)(p) - (unsigned long)&((struct item *)0)->l); }
        void add(struct link *n) { n->next = head.next; n->prev = &head; head.next->prev = n; head.next = n; }
        int main() {
            head.next = head.prev = &head; add(&a.l); add(&b.l);
            struct item *c = malloc(sizeof *c); c->v = 3; add(&c->l);
            int s = 0;
            for (struct item *p = item(head.next); &p->l != &head; p = item(p->l.next)) { s += p->v; p->w = s; }
            return s + a.w + b.w + c->w;
        }",
    "pointers in integers": "
        int x, y, a[4];
        int main() {
            unsigned long n = (unsigned long)&x; *(int *)n = 3;
            long t = (long)&y | 1; if (t & 1) *(int *)(t & ~1L) = 4;
            unsigned long q = (unsigned long)a + 2 * sizeof(int); *(int *)q = 5;
            for (int i = 0; i < 4; i++) { unsigned long r = (unsigned long)a + i * sizeof(int); *(int *)r += 1; }
            unsigned long z = (unsigned long)&x ^ (unsigned long)&y; int *w = (int *)(z ^ (unsigned long)&x); *w = 9;
            return x + y + a[2];
        }",
    "bytes of pointers": "
        int x, y; int *p = &x, *q = &y;
        void copy(void *d, const void *s, int n) { char *a = d; const char *b = s; while (n--) *a++ = *b++; }
        struct s { int n; int *p; } s = { 1, &x }, t;
        int main() { copy(&q, &p, sizeof p); *q = 5; copy(&t, &s, sizeof s); *t.p += 1; y = 2; *p += t.n; return x + y; }",
    "memcpy and memset": "
        struct s { int a; int *p; int v[3]; } s, t, u[4]; int x;
        int main() {
            s.a = 1; s.p = &x; s.v[1] = 7; memcpy(&t, &s, sizeof s); *t.p = 3; t.v[1] += 1;
            for (int i = 0; i < 4; i++) { memcpy(&u[i], &t, sizeof t); u[i].a = i; }
            memcpy(u, u + 2, 2 * sizeof *u); memmove(u + 1, u, 3 * sizeof *u); *u[3].p += 1;
            memset(&t, 0, sizeof t); memset(u, 0, __VERIFIER_nondet_int() ? 4 : 8);
            int n = sizeof s; void *h = malloc(n); memcpy(h, &s, n); ((struct s *)h)->v[2] = 8; *((struct s *)h)->p += 5;
            char buf[32]; memcpy(buf, &x, sizeof x); int y; memcpy(&y, buf, sizeof y);
            return t.a + s.v[1] + x + y + u[3].a;
        }",
    "realloc": "
        int main() {
            int n = 2, *v = malloc(n * sizeof(int)); v[0] = 1; v[1] = 2;
            for (int i = 2; i < 9; i++) { if (i >= n) { n *= 2; v = realloc(v, n * sizeof(int)); } v[i] = v[i - 1] + 1; }
            int x; int **p = malloc(sizeof *p); *p = &x; p = realloc(p, 4 * sizeof *p); **p = v[8]; p[3] = p[0]; *p[3] += 1;
            return x;
        }",
    "functions through pointers": "
        int x; int f(int a) { x = a; return a + 1; } int g(int a) { return x - a; }
        struct ops { int (*op)(int); int *arg; } table[2] = { { f, &x }, { g, &x } };
        int main() { int s = 0; for (int i = 0; i < 2; i++) { s += table[i].op(i + 1); *table[i].arg += s; } int (*h)(int) = s ? f : g; return h(s) + x; }",
    "recursion": "
        struct t { int v; struct t *l, *r; };
        struct t *insert(struct t *t, int v) {
            if (!t) { t = calloc(1, sizeof *t); t->v = v; return t; }
            struct t **side = v < t->v ? &t->l : &t->r; *side = insert(*side, v); return t;
        }
        int sum(struct t *t) { int here; int *p = &here; if (!t) return 0; *p = t->v; int below = sum(t->l) + sum(t->r); return here + below; }
        void walk(int *out, int n) { int mine = n; if (n) walk(&mine, n - 1); *out += mine; }
        int main() { struct t *t = 0; for (int i = 0; i < 6; i++) t = insert(t, i * 5 % 7); int o = 0; walk(&o, 4); return sum(t) + o; }",
    "structures as arguments and results": "
        struct s { int *p; int n; } ; int x, y;
        struct s make(int *p, int n) { struct s r = { p, n }; return r; }
        int use(struct s s) { *s.p += s.n; s.n = 0; return *s.p; }
        struct s rec(struct s s, int d) { if (d) { s.n += d; return rec(s, d - 1); } return s; }
        int main() { struct s a = make(&x, 2), b = make(&y, 3); int r = use(a) + use(b); a = rec(b, 3); *a.p += 1; return r + x + y + a.n; }",
    "variadic": "
        typedef __builtin_va_list va_list;
        int fill(int n, ...) { va_list l; __builtin_va_start(l, n); int s = 0; for (int i = 0; i < n; i++) { int *p = __builtin_va_arg(l, int *); *p = i + 1; s += *p; } __builtin_va_end(l); return s; }
        int main() { int a = 0, b = 0; int *h = malloc(sizeof(int)); fill(3, &a, &b, h); return a + b + *h; }",
    "bit-fields": "
        struct f { unsigned a : 3, b : 7; int c : 5; unsigned char d; } g, v[3];
        int main() { struct f *p = &g; p->a = 5; p->b = 99; p->c = -3; p->d = 7; g.a += 1; for (int i = 0; i < 3; i++) { v[i] = g; v[i].b = i; } struct f h = v[1]; return p->a + p->b + p->c + h.b + h.d; }",
    "text": "
        char name[16], line[32]; struct rec { char tag[4]; int id; char rest[8]; } r;
        int len(const char *s) { int n = 0; while (s[n]) n++; return n; }
        int main() { char *p = name; *p++ = 'a'; *p++ = 'b'; *p = 0; sprintf(line, \"%s-%d\", name, 3); r.id = 5; for (int i = 0; i < 3; i++) r.tag[i] = line[i]; r.tag[3] = 0; char *q = r.rest; q[1] = 'x'; q[0] = 'y'; return len(line) + len(r.tag) + r.id + name[1] + r.rest[1]; }",
    "many objects behind one pointer": "
        int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r;
        int *t[18] = { &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r };
        int main() { int *z; for (int x = 0; x < 18; x++) { z = t[x]; *z = x; } z = __VERIFIER_nondet_int() ? &a : &r; *z += 1; return a + r + h; }",
    "byte views": "
        int x = 5; struct s { int a; short b; } s; 
        int main() { unsigned char *p = (unsigned char *)&x; int t = p[0]; p[1] = 1; t += x; unsigned char *q = (unsigned char *)&s; for (unsigned i = 0; i < sizeof s; i++) q[i] = i; return t + s.a + s.b; }",
    "flexible members": "
        struct msg { int n; int data[]; };
        int main() { struct msg *m = malloc(sizeof *m + 4 * sizeof(int)); m->n = 4; for (int i = 0; i < m->n; i++) m->data[i] = i; int *d = m->data; d[2] = 9; struct { int n; char c[1]; } *old = malloc(64); old->n = 3; for (int i = 0; i < old->n; i++) old->c[i] = i; return m->data[2] + old->c[1] + old->n; }",
    "pieces of one buffer": "
        struct a { int x; int *p; }; struct b { short s[4]; long l; }; int z;
        int main() { char *pool = malloc(256); struct a *a = (struct a *)pool; struct b *b = (struct b *)(pool + 64); a->x = 1; a->p = &z; b->l = 5; b->s[3] = 2; *a->p = 4; for (int i = 0; i < 3; i++) { struct a *e = (struct a *)(pool + 128 + i * sizeof(struct a)); e->x = i; e->p = &a->x; *e->p += 1; } return a->x + z + (int)b->l; }",
    "conditional pointers": "
        int x, y; struct s { int v; struct s *o; } s1, s2;
        int main() { int c = __VERIFIER_nondet_int(); int *p = c ? &x : &y; *p = 1; (c > 3 ? s1 : s2).v = 2; struct s *q = c ? &s1 : &s2; q->o = q == &s1 ? &s2 : &s1; q->o->v = 3; if (q && q->o && q->o->o && q->o->o->v == 7) x = 2; return x + y + s1.v + s2.v; }",
    "objects of externs": "
        struct dev { int id; struct dev *parent; int buf[4]; }; extern struct dev *get(int); extern struct dev shared;
        int main() { struct dev *d = get(1), *e = get(2); if (d && e) { d->id = 1; e->id = 2; d->parent = e; d->parent->id += 1; d->buf[e->id & 3] = 5; shared.parent = d; shared.parent->id = 8; return d->id + e->id; } return 0; }",
    "swap": "
        void swap(void **a, void **b) { void *t = *a; *a = *b; *b = t; }
        int main() { int x = 1, y = 2; int *p = &x, *q = &y; swap((void **)&p, (void **)&q); *p = 10; *q = 20; return x + y; }",
    "wide integers": "
        int x; struct w { unsigned long long handle; int t; } w; 
        int main() { w.handle = (unsigned long)&x; int *p = (int *)(unsigned long)w.handle; *p = 3; struct w v = w; *(int *)(unsigned long)v.handle += 1; return x; }",
    "from the end of an array": "
        struct s { int a[4]; int tail; } s;
        int main() { int *e = s.a + 4; for (int i = 1; i <= 4; i++) e[-i] = i; s.tail = 3; int *m = &s.a[2]; for (int i = -2; i < 2; i++) m[i] += 1; return s.a[0] + s.a[3] + s.tail; }",
}
