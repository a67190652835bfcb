//% run: --entry start
//% exit: 0
//% out: start
//% run: --property start.prp
//% exit: 0
//% out: start
//% run: --property start.prp --entry main
//% exit: 0
//% out: main
#include <stdio.h>

void start(void) { printf("start\n"); }

int main(void) {
    printf("main\n");
    return 0;
}
