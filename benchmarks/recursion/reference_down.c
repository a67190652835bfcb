// A number is counted down through a pointer, from at most six.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void down(int *n)
{
  if (*n > 0) {
    (*n)--;
    down(n);
  }
}

int main(void)
{
  int n = __VERIFIER_nondet_int();
  if (n > 6)
    return 0;
  down(&n);
  if (n > 0)
    reach_error();
  return 0;
}
