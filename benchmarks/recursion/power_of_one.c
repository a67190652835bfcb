// Fast powers of one are one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int power(int base, int exponent)
{
  int half;
  if (exponent <= 0)
    return 1;
  half = power(base, exponent / 2);
  return exponent % 2 ? half * half * base : half * half;
}

int main(void)
{
  if (power(1, __VERIFIER_nondet_int()) != 1)
    reach_error();
  return 0;
}
