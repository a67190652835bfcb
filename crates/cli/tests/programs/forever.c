//% run: --steps 1000
//% exit: 2
//% err: step limit
int main(void) {
    for (;;) {}
}
