// As ping_pong.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int ball;

void pong(int n);

void ping(int n)
{
  ball++;
  if (n > 0)
    pong(n - 1);
}

void pong(int n)
{
  ball--;
  if (n > 0)
    ping(n - 1);
}

int main(void)
{
  ping(__VERIFIER_nondet_int());
  if (ball != 1)
    reach_error();
  return 0;
}
