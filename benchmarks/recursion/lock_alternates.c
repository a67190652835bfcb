// Two procedures call each other and pass a lock on: it is never taken twice.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int lock;

void release(int n);

void take(int n)
{
  if (lock)
    reach_error();
  lock = 1;
  release(n - 1);
}

void release(int n)
{
  lock = 0;
  if (n > 0)
    take(n);
}

int main(void)
{
  take(__VERIFIER_nondet_int());
  return 0;
}
