// As mccarthy91.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int f(int x)
{
  if (x > 100)
    return x - 10;
  return f(f(x + 11));
}

int main(void)
{
  int x = __VERIFIER_nondet_int();
  int y = f(x);
  if (x <= 102 ? y != 91 : y != x - 10)
    reach_error();
  return 0;
}
