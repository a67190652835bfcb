// A sum in a global variable, by its address; it never goes down.
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
  if (total < 0)
    reach_error();
  return 0;
}
