// expect: safe!
// The certificate of an engine spoke of a variable that the checker does not know.
void reach_error(void);
void abort(void);
int g;
int main(void) {
    if (1) abort();
    if (g) reach_error();
}
