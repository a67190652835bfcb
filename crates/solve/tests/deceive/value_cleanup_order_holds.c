// expect: safe!
void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int log_, count;
static void note(int *p) { log_ = log_ * 10 + *p; count++; }
static int returned(void) {
    int a __attribute__((cleanup(note))) = 1;
    {
        int b __attribute__((cleanup(note))) = 2;
        if (__VERIFIER_nondet_int()) return log_;
    }
    return a + 4;
}
static void loops(void) {
    for (int i = 0; i < 3; i++) {
        int c __attribute__((__cleanup__(note))) = 3;
        if (i == 0) continue;
        int d __attribute__((cleanup(note))) = 4;
        if (i == 1) break;
    }
}
static void jumps(int out) {
    int e __attribute__((cleanup(note))) = 5;
again:
    {
        int f __attribute__((cleanup(note))) = 6;
        if (out == 1) goto again_;
        if (out == 2) goto end;
        goto inside;
    again_:
        out = 2;
        goto again;
    inside:
        out++;
    }
end:
    return;
}
int main(void) {
    int value = returned();
    if (value != 0 && value != 5 || log_ != 21) reach_error();
    log_ = 0;
    loops();
    if (log_ != 343) reach_error();
    log_ = 0;
    jumps(0);
    if (log_ != 65) reach_error();
    log_ = 0;
    jumps(1);
    if (log_ != 665) reach_error();
    log_ = 0;
    jumps(2);
    if (log_ != 65 || count != 12) reach_error();
    return 0;
}
