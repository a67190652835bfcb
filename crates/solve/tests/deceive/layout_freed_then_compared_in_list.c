// expect: unsafe
// not run: the interpreter gives fresh memory
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    void *seen[3];
    for (int i = 0; i < 3; i++) {
        void *p = malloc(16);
        for (int k = 0; k < i; k++)
            if (seen[k] == p) reach_error();
        seen[i] = p;
        free(p);
    }
    return 0;
}
