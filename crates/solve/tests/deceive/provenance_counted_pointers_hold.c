// expect: safe!
// Pointers that are only numbers, compared with each other: the analysis of addresses must come to an end.
void reach_error(void);
void *seen[2];
long next = 4096;
void *make(void) {
    return (void *)next++;
}
int find(void *p) {
    for (int i = 0; i < 2; i++)
        if (seen[i] == p) return i;
    return -1;
}
int main(void) {
    void *a = make(), *b = make();
    seen[0] = a;
    seen[1] = b;
    if (find(b) != 1 || find(a) != 0) reach_error();
}
