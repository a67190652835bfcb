// As parser.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int brackets;

void factor(int fuel);

void term(int fuel)
{
  factor(fuel);
  while (__VERIFIER_nondet_int())
    factor(fuel);
}

void factor(int fuel)
{
  if (fuel <= 0 || __VERIFIER_nondet_int())
    return;
  brackets++;
  term(fuel - 1);
  if (fuel != 2)
    brackets--;
}

int main(void)
{
  term(__VERIFIER_nondet_int());
  if (brackets != 0)
    reach_error();
  return 0;
}
