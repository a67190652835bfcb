//% run: --32
//% exit: 0
//% out: 4 4 8 4 4 16
//% run: --64
//% exit: 0
//% out: 4 8 8 8 8 24
#include <stdio.h>

struct mixed {
    char c;
    void *p;
    char d;
    long l;
};

int main(void) {
    printf("%d %d %d %d %d %d\n", (int)sizeof(int), (int)sizeof(long), (int)sizeof(long long), (int)sizeof(void *),
           (int)sizeof(sizeof 1), (int)sizeof(struct mixed) - (int)sizeof(char *) * (sizeof(long) == 8));
    return 0;
}
