// expect: unsafe!
// not run: the interpreter is given null
struct list { struct list *next; int value; };
void reach_error(void);
struct list *first(void);
int main(void) {
    struct list *p = first();
    if (p->next->next->value == 7) reach_error();
    return 0;
}
