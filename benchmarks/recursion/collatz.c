// Steps of Collatz's sequence, as many as there is fuel at most.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int steps(int n, int fuel)
{
  if (n <= 1 || fuel <= 0)
    return 0;
  return 1 + steps(n % 2 ? 3 * n + 1 : n / 2, fuel - 1);
}

int main(void)
{
  int fuel = __VERIFIER_nondet_int();
  if (fuel >= 0 && steps(__VERIFIER_nondet_int(), fuel) > fuel)
    reach_error();
  return 0;
}
