// expect: unsafe!
// values: 5
void reach_error(void);
long time(long *t);
int main(void) {
    long t = 0;
    time(&t);
    if (t == 5) reach_error();
    return 0;
}
