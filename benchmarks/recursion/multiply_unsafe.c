// As multiply.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int multiply(int a, int times)
{
  if (times == 0)
    return 0;
  return a + multiply(a, times - 1);
}

int main(void)
{
  int a = __VERIFIER_nondet_int(), times = __VERIFIER_nondet_int();
  if (a < 0 || times < 0)
    return 0;
  if (multiply(a, times) < a)
    reach_error();
  return 0;
}
