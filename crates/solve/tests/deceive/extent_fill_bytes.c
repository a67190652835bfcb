// expect: unsafe
void reach_error(void);
struct s { short head[2]; unsigned v; } a;
int main(void) {
    unsigned char *p = (unsigned char *)a.head;
    for (int i = 0; i < 8; i++) p[i] = 0xab;
    if (a.v == 0xabababab) reach_error();
}
