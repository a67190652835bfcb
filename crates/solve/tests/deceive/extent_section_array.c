// expect: unsafe
// data: 64
// not run: what the linker puts together is unknown to the interpreter
void reach_error(void);
typedef void (*call)(void);
static void hit(void) { reach_error(); }
static call entry __attribute__((section("calls"), used)) = hit;
extern call __start_calls[], __stop_calls[];
int main(void) {
    for (call *p = __start_calls; p < __stop_calls; p++) (*p)();
    return 0;
}
