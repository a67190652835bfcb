// expect: unsafe
void reach_error(void);
struct bytes { char all[1]; };
int x;
int main(void) {
    char *q = &((struct bytes *)0)->all[(unsigned long)&x];
    *(int *)q = 1;
    if (x) reach_error();
}
