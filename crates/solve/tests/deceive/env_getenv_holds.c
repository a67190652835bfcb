// expect: safe
// There is none, or it ends.
char *getenv(const char *name);
void reach_error(void);
int main(void) {
    char *home = getenv("HOME");
    if (home && home[0] != 0 && home[0] == 0) reach_error();
    return 0;
}
