/* Control flow. */
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)

int trace;
int mark(int digit, int value) { trace = trace * 10 + digit; return value; }

int classify(int x) {
    switch (x) {
    case 0:
    case 1:
        return 10;
    case 2:
        x = 20; /* falls through */
    case 3:
        x += 5;
        break;
    case 10 ... 19:
        return 30;
    default:
        return -1;
    case -1:
        return 40;
    }
    return x;
}

int duff(int n) {
    int count = 0, rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { count++;
    case 3: count++;
    case 2: count++;
    case 1: count++;
            } while (--rounds > 0);
    }
    return count;
}

int find(int limit) {
    int i, j;
    for (i = 0; i < limit; i++)
        for (j = 0; j < limit; j++)
            if (i * j == 42) goto found;
    return -1;
found:
    return i * 100 + j;
}

int into_loop(void) {
    int n = 0, first = 1;
    goto middle;
    while (n < 5) {
        first = 0;
    middle:
        n++;
    }
    return n * 10 + first;
}

void nothing(void) { return; }

int main(void) {
    CHECK(classify(0) == 10 && classify(1) == 10 && classify(2) == 25 && classify(3) == 8);
    CHECK(classify(15) == 30 && classify(99) == -1 && classify(-1) == 40);
    for (int n = 1; n < 12; n++) CHECK(duff(n) == n);
    CHECK(find(10) == 607 && find(3) == -1);
    CHECK(into_loop() == 50);
    /* Short circuit. */
    trace = 0;
    int r = mark(1, 0) && mark(2, 1);
    CHECK(r == 0 && trace == 1);
    trace = 0;
    r = mark(1, 5) || mark(2, 1);
    CHECK(r == 1 && trace == 1);
    trace = 0;
    if ((mark(1, 1) && mark(2, 0)) || !mark(3, 0)) trace = trace * 10 + 9;
    CHECK(trace == 1239);
    trace = 0;
    r = mark(1, 0) ? mark(2, 2) : mark(3, 3);
    CHECK(r == 3 && trace == 13);
    r = mark(4, 7) ?: mark(5, 8);
    CHECK(r == 7 && trace == 134);
    r = 0 ?: 9;
    CHECK(r == 9);
    /* The value of assignments and increments. */
    int i = 5, k;
    k = i++ + 10;
    CHECK(k == 15 && i == 6);
    k = ++i * 2;
    CHECK(k == 14 && i == 7);
    k = (i = 3, i + 1);
    CHECK(k == 4 && i == 3);
    int x, y;
    x = y = 300;
    CHECK(x == 300 && y == 300);
    unsigned char c;
    x = c = 300;
    CHECK(x == 44);
    int a[4] = {0, 1, 2, 3}, *p = a;
    CHECK(*p++ == 0 && *p == 1 && *++p == 2 && p[-1] == 1);
    i = 0;
    a[i++] = 7;
    CHECK(a[0] == 7 && i == 1);
    a[a[1]] += 10;
    CHECK(a[1] == 11);
    /* Loops. */
    int sum = 0;
    do {
        sum++;
        if (sum == 2) continue;
        if (sum > 5) break;
    } while (sum < 10);
    CHECK(sum == 6);
    sum = 0;
    for (int j = 0;; j++) {
        if (j % 2) continue;
        if (j > 8) break;
        sum += j;
    }
    CHECK(sum == 20);
    for (sum = 0; sum < 3; nothing()) sum++;
    CHECK(sum == 3);
    /* Statement expressions. */
    int v = ({ int t = 4; t *= t; t + 1; });
    CHECK(v == 17);
    v = ({ if (v > 3) goto done; 5; });
    CHECK(0);
done:
    CHECK(v == 17);
    /* A block, an empty statement, a label at the end. */
    {
        int i = 99;
        CHECK(i == 99);
    }
    CHECK(i == 1);
    ;
    return 0;
end:
    ;
}
