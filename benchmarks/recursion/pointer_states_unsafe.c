// As pointer_states.c, but for one place: the error can be reached.
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
  last = n == 2 ? 1 : 2;
  if (n > 0)
    next(n - 1);
}

int main(void)
{
  first(__VERIFIER_nondet_int());
  return 0;
}
