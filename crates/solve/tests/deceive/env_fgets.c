// expect: unsafe!
// values: 0, 120, 1, 1
void reach_error(void);
char *fgets(char *s, int n, void *file);
int main(void) {
    char text[4] = "a";
    if (fgets(text, 4, 0) && text[0] == 'x') reach_error();
    return 0;
}
