//% run:
//% exit: 0
//% out: 0 1 3 4 | 14 | 7 6 5 4 3 2 1
//% out: fall: BC D
//% out: 6 5
#include <stdio.h>

static int loops(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 2) continue;
        if (i == 5) break;
        printf("%d ", i);
    }
    while (1) {
        sum += n;
        if (sum >= 10) goto out;
    }
out:
    printf("| %d | ", sum);
    do {
        printf(n > 1 ? "%d " : "%d", n);
    } while (--n);
    printf("\n");
    return sum;
}

static void fall(int n) {
    switch (n) {
    case 1: printf("A");
    case 2: printf("B");
    case 3 ... 5: printf("C"); break;
    default: printf("D");
    }
}

int main(void) {
    loops(7);
    printf("fall: ");
    fall(2);
    printf(" ");
    fall(9);
    int x = 5, y = x++ + 0;
    printf("\n%d %d\n", x, y);
    return 0;
}
