// As hanoi_moves.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int moves;

void hanoi(int discs)
{
  if (discs == 0)
    return;
  hanoi(discs - 1);
  moves++;
  hanoi(discs - 1);
}

int main(void)
{
  int discs = __VERIFIER_nondet_int();
  if (discs < 0)
    return 0;
  hanoi(discs);
  if (moves > discs + 3)
    reach_error();
  return 0;
}
