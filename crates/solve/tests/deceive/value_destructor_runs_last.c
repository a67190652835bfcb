// expect: unsafe!
void reach_error(void);
int done;
__attribute__((destructor)) static void stop(void) { if (done) reach_error(); }
int main(void) {
    done = 1;
    return 0;
}
