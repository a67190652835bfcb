// No int has more than ten digits.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int digits(int n)
{
  return n < 10 ? 1 : 1 + digits(n / 10);
}

int main(void)
{
  if (digits(__VERIFIER_nondet_int()) > 10)
    reach_error();
  return 0;
}
