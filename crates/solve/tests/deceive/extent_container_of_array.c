// expect: unsafe
// The member is an array, and the way back leads out of it.
void reach_error(void);
struct s { int v; char name[4]; } x[2];
static struct s *owner(char *name) { return (struct s *)(name - 4); }
int main(void) {
    owner(x[1].name)->v = 5;
    if (x[1].v == 5) reach_error();
}
