// Depth goes up and down again in recursion and in loops.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth;

void visit(int n)
{
  int i;
  depth++;
  for (i = 0; i < 3; i++)
    if (n > 0 && __VERIFIER_nondet_int())
      visit(n - 1);
  depth--;
}

int main(void)
{
  while (__VERIFIER_nondet_int()) {
    visit(__VERIFIER_nondet_int());
    if (depth != 0)
      reach_error();
  }
  return 0;
}
