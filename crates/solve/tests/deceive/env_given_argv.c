// expect: unsafe
// not run: arguments are not there
void reach_error(void);
int main(int argc, char **argv) {
    char *s = "abc";
    if (argc > 1) s = argv[1];
    if (s && s[0] == 'x') reach_error();
    return 0;
}
