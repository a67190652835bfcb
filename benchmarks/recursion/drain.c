// A recursive procedure empties a store in bursts, each of which is a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int store;

void drain(int burst)
{
  int i = 0;
  if (store <= 0)
    return;
  while (i < burst && store > 0) {
    store--;
    i++;
  }
  drain(burst);
}

int main(void)
{
  store = __VERIFIER_nondet_int();
  if (store < 0)
    return 0;
  drain(3);
  if (store != 0)
    reach_error();
  return 0;
}
