//% run: -D LIMIT=3 -I include
//% exit: 0
//% out: 3 included
#include <stdio.h>
#include "included.h"

int main(void) {
    printf("%d %s\n", LIMIT, WORD);
    return 0;
}
