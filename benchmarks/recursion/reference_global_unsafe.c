// As reference_global.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int total;

void add(int *to, int n)
{
  if (n <= 0)
    return;
  *to = *to + n;
  add(to, n - 1);
}

int main(void)
{
  add(&total, __VERIFIER_nondet_int());
  if (total == 6)
    reach_error();
  return 0;
}
