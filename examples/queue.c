// A ring buffer of four cells that is driven by commands: 1 puts the next value, 2 takes one, 0 ends. It forgets to look
// whether it is full, so the fifth value overwrites the first and the count no longer fits.
//
//     craig run examples/queue.c --values 1,7,1,9,2,2,0
//     craig run examples/queue.c --values 1,1,1,2,1,3,1,4,1,5,0

#include <assert.h>
#include <stdio.h>

#define CELLS 4

extern int __VERIFIER_nondet_int(void);

static int cells[CELLS];
static unsigned head, count;

static void put(int value) {
    cells[(head + count) % CELLS] = value;
    count++;
}

static int take(void) {
    int value = cells[head];
    head = (head + 1) % CELLS;
    count--;
    return value;
}

int main(void) {
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            put(__VERIFIER_nondet_int());
            break;
        case 2:
            if (count > 0) printf("took %d\n", take());
            break;
        default:
            printf("%u left\n", count);
            return 0;
        }
        assert(count <= CELLS);
    }
}
