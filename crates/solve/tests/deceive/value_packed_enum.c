// expect: unsafe
void reach_error(void);
enum small { A = 1, B = 200 } __attribute__((packed));
struct s { enum small e; char next; };
int main(void) {
    enum small e = 456;
    if (sizeof(struct s) == 2 && e == 200) reach_error();
    return 0;
}
