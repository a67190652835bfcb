// A driver-like loop under a lock. The error cannot be reached: the lock is taken before every update and given back
// before the loop looks again whether a request came in meanwhile.

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int locked;

static void lock(void) {
    if (locked) reach_error();
    locked = 1;
}

static void unlock(void) {
    if (!locked) reach_error();
    locked = 0;
}

int main(void) {
    int seen, requests = 0;
    do {
        lock();
        seen = requests;
        if (__VERIFIER_nondet_int()) {
            unlock();
            requests++;
        }
    } while (seen != requests);
    unlock();
    return 0;
}
