// expect: unsafe
// data: 64
// not run: the interpreter has one result for each letter
void reach_error(void);
int isalpha(int);
int main(void) {
    if (isalpha('a') > 1) reach_error();
    return 0;
}
