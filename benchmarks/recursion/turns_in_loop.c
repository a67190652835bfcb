// Two procedures that call each other keep two globals in balance; the loop relies on it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int given, taken;

void take(int n);

void give(int n)
{
  given++;
  if (n > 0)
    take(n - 1);
  else
    taken++;
}

void take(int n)
{
  taken++;
  if (n > 0)
    give(n - 1);
}

int main(void)
{
  int rounds = 0;
  while (__VERIFIER_nondet_int()) {
    give(__VERIFIER_nondet_int());
    rounds++;
    if (given != taken)
      reach_error();
  }
  return 0;
}
