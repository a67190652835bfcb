// As loop_of_calls.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth;

void walk(int left)
{
  depth++;
  if (depth + left != 9)
    reach_error();
  while (left > 0 && __VERIFIER_nondet_int())
    walk(left - (depth == 4 ? 2 : 1));
  depth--;
}

int main(void)
{
  walk(8);
  return 0;
}
