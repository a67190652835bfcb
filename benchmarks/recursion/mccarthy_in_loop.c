// McCarthy's function, again and again: once the value is 91 it stays.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int f(int x)
{
  if (x > 100)
    return x - 10;
  return f(f(x + 11));
}

int main(void)
{
  int x = __VERIFIER_nondet_int();
  int i = 0;
  if (x > 100)
    return 0;
  while (__VERIFIER_nondet_int()) {
    x = f(x);
    i = 1;
  }
  if (i == 1 && x != 91)
    reach_error();
  return 0;
}
