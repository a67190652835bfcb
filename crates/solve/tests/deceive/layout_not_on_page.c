// expect: unsafe
// not run: four bytes before the end of a page
void reach_error(void);
int x;
int main(void) {
    if (((unsigned long)&x & 4095) == 4092) reach_error();
}
