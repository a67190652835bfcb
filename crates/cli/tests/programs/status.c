//% run:
//% exit: 0
//% out: before
//% err: status 42
#include <stdio.h>
#include <stdlib.h>

static void leave(void) {
    printf("before\n");
    exit(42);
}

int main(void) {
    leave();
    printf("after\n");
    return 1;
}
