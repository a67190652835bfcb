// The greatest common divisor of positive numbers is positive and no larger than the first.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int gcd(int a, int b)
{
  if (a == b)
    return a;
  if (a > b)
    return gcd(a - b, b);
  return gcd(a, b - a);
}

int main(void)
{
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), d;
  if (a < 1 || b < 1)
    return 0;
  d = gcd(a, b);
  if (d < 1 || d > a)
    reach_error();
  return 0;
}
