// expect: unsafe!
// not run: the interpreter has no text in argv by itself
// Two bytes of one text: the second lies behind where the pointer leads.
void reach_error(void);
int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 'a' && argv[1][1] != 'b') reach_error();
    return 0;
}
