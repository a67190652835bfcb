// expect: safe
// The same byte twice.
void reach_error(void);
int main(int argc, char **argv) {
    if (argc > 1) {
        char c = argv[1][1];
        if (argv[1][1] != c) reach_error();
    }
    return 0;
}
