// expect: unsafe
void reach_error(void);
char *strtok(char *s, const char *between);
int main(void) {
    char text[] = "a,b";
    strtok(text, ",");
    char *second = strtok(0, ",");
    if (second && *second == 'b') reach_error();
    return 0;
}
