// As depth.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth;

void visit(int n)
{
  depth++;
  if (n > 0) {
    visit(n - 1);
    if (__VERIFIER_nondet_int())
      visit(n - 2);
  }
  if (n != 3)
    depth--;
}

int main(void)
{
  visit(__VERIFIER_nondet_int());
  if (depth != 0)
    reach_error();
  return 0;
}
