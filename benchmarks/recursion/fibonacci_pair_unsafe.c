// As fibonacci_pair.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int left(int n);

int right(int n)
{
  return n < 2 ? n : left(n - 1) + left(n - 2);
}

int left(int n)
{
  return n < 2 ? n : right(n - 1) + right(n - 2);
}

int main(void)
{
  if (left(11) != 144)
    reach_error();
  return 0;
}
