// As fibonacci_grows.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int fibonacci(int n)
{
  if (n < 2)
    return n;
  return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
  int n = __VERIFIER_nondet_int();
  if (n < 0)
    return 0;
  if (fibonacci(n) < 1)
    reach_error();
  return 0;
}
