// expect: safe!
void reach_error(void);
char a[4], b[4];
int main(void) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            if (a + i == b + k) reach_error();
}
