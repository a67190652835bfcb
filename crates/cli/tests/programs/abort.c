//% run:
//% exit: 0
//% err: abort
#include <stdlib.h>

int main(void) {
    abort();
}
