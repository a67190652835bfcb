// A loop that adds up what a recursive procedure gives: of each an invariant is needed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int sum(int n, int m)
{
  if (n <= 0)
    return m;
  return sum(n - 1, m + 1);
}

int main(void)
{
  int rounds = __VERIFIER_nondet_int();
  int step = __VERIFIER_nondet_int();
  int total = 0;
  int i = 0;
  if (rounds < 0 || rounds > 1000 || step < 1 || step > 1000)
    return 0;
  while (i < rounds) {
    total = sum(step, total);
    i++;
  }
  if (total > i && i > 5)
    reach_error();
  return 0;
}
