// A jump to a computed label, which is not modelled. What needs it is not decided; nothing is guessed.

extern void reach_error(void);

int main(void) {
    void *where = &&there;
    goto *where;
    reach_error();
there:
    return 0;
}
