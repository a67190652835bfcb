// As reference_swap.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void swap(int *a, int *b, int times)
{
  int old = *a;
  *a = *b;
  *b = old;
  if (times > 1)
    swap(a, b, times - 1);
}

int main(void)
{
  int first = 1, second = 2;
  swap(&first, &second, 4);
  if (first != 2 || second != 1)
    reach_error();
  return 0;
}
