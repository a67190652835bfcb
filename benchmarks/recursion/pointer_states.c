// A machine whose states are functions: the second is left for the first.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int last;

void second(int n);

void first(int n)
{
  void (*next)(int) = second;
  if (last == 1)
    reach_error();
  last = 1;
  if (n > 0)
    next(n - 1);
}

void second(int n)
{
  void (*next)(int) = first;
  last = 2;
  if (n > 0)
    next(n - 1);
}

int main(void)
{
  first(__VERIFIER_nondet_int());
  return 0;
}
