// expect: unsafe!
// not run: the value of a variable of the environment is chosen
char *getenv(const char *name);
void reach_error(void);
int main(void) {
    char *home = getenv("HOME");
    if (home && home[0] == 'a' && home[1] != 'b') reach_error();
    return 0;
}
