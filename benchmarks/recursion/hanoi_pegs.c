// Discs go from one of three pegs to another one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void hanoi(int discs, int from, int to, int over)
{
  if (discs == 0)
    return;
  hanoi(discs - 1, from, over, to);
  if (from == to || from < 1 || from > 3 || to < 1 || to > 3)
    reach_error();
  hanoi(discs - 1, over, to, from);
}

int main(void)
{
  hanoi(__VERIFIER_nondet_int(), 1, 3, 2);
  return 0;
}
