// expect: unsafe
void reach_error(void);
int x, y, z;
int main(void) {
    unsigned long t[3] = { (unsigned long)&z, (unsigned long)&x, (unsigned long)&y };
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (t[k] > t[k + 1]) { unsigned long s = t[k]; t[k] = t[k + 1]; t[k + 1] = s; }
    for (int i = 0; i < 3; i++) *(int *)t[i] += 1 + i;
    if (x + y + z == 6) reach_error();
    return 0;
}
