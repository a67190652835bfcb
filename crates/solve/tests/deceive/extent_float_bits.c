// expect: unsafe
void reach_error(void);
int main(void) {
    float f = 1.0f;
    unsigned n = *(unsigned *)&f;
    if (n == 0x3f800000) reach_error();
}
