// As pointer_fold.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int fold(int (*f)(int, int), int n, int value)
{
  return n == 0 ? value : fold(f, n - 1, f(value, n));
}

int add(int a, int b)
{
  return a + b;
}

int greater(int a, int b)
{
  return a > b ? a : b;
}

int main(void)
{
  if (fold(add, 4, 0) != 11 || fold(greater, 4, 0) != 4)
    reach_error();
  return 0;
}
