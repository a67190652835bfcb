// Counts digits by recursion and by a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int digits(int n)
{
  if (n < 10)
    return 1;
  return 1 + digits(n / 10);
}

int main(void)
{
  int most = 0;
  while (__VERIFIER_nondet_int()) {
    int n = __VERIFIER_nondet_int();
    int d = digits(n);
    if (d > most)
      most = d;
    if (most < 1)
      reach_error();
  }
  if (most < 0)
    reach_error();
  return 0;
}
