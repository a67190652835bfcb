// expect: unsafe!
void reach_error(void);
int ready;
__attribute__((constructor)) static void start(void) { ready = 1; }
int main(void) {
    if (ready) reach_error();
    return 0;
}
