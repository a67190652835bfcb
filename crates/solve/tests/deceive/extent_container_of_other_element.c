// expect: unsafe
void reach_error(void);
struct s { int v; char name[4]; } x[2];
int main(void) {
    char *name = x[1].name;
    *(int *)(name - sizeof(struct s) - 4) = 5;
    if (x[0].v == 5) reach_error();
}
