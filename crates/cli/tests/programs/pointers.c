//% run: --32
//% exit: 0
//% out: 2 3 4
//% out: 20 3 1
//% out: 40 3
//% out: 14 49
//% out: 9410
//% out: abcd 4 0
//% out: 20
//% run: --64
//% exit: 0
//% out: 2 3 4
//% out: 20 3 1
//% out: 40 3
//% out: 14 49
//% out: 9410
//% out: abcd 4 0
//% out: 20
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; };

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int apply(int (*f)(int), int x) { return f(x); }

static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = list;
    return n;
}

int main(void) {
    int a[5] = { 1, 2, 3 }, *p = a + 1, *end = &a[5];
    printf("%d %d %d\n", *p, p[1], (int)(end - p));
    *p++ = 20;
    printf("%d %d %d\n", a[1], *p, p == a + 2);
    int **q = &p;
    (*q)++;
    **q = 40;
    printf("%d %d\n", a[3], 2[a]);
    int (*table[2])(int) = { twice, square };
    printf("%d %d\n", apply(table[0], 7), (*table[1])(7));
    struct node *list = NULL;
    for (int i = 0; i < 4; i++) list = push(list, i * i);
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum = sum * 10 + list->value;
        free(list);
        list = next;
    }
    printf("%d\n", sum);
    char text[16] = "abc";
    char *t = text;
    while (*t) t++;
    *t++ = 'd';
    *t = 0;
    printf("%s %d %d\n", text, (int)strlen(text), strcmp(text, "abcd"));
    unsigned char *bytes = (unsigned char *)&a[1];
    printf("%d\n", bytes[0]);
    return 0;
}
