// As ackermann.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int ackermann(int m, int n)
{
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (m < 0 || n < 0)
    return 0;
  if (ackermann(m, n) <= n + 1)
    reach_error();
  return 0;
}
