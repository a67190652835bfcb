// What the recursive procedure returns is even, and so is what the loop adds up.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int twice(int n)
{
  if (n <= 0)
    return 0;
  return twice(n - 1) + 2;
}

int main(void)
{
  int sum = 0;
  while (__VERIFIER_nondet_int()) {
    int n = __VERIFIER_nondet_int();
    if (n > 1000)
      continue;
    sum += twice(n);
  }
  if (sum % 2 != 0)
    reach_error();
  return 0;
}
