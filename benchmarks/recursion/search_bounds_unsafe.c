// As search_bounds.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int search(int low, int high)
{
  int middle;
  if (low >= high)
    return low;
  middle = low + (high - low) / 2;
  if (__VERIFIER_nondet_int())
    return search(low, middle);
  return search(middle + 1, high);
}

int main(void)
{
  int size = __VERIFIER_nondet_int(), at;
  if (size < 0 || size > 1000000)
    return 0;
  at = search(0, size);
  if (at < 0 || at >= size)
    reach_error();
  return 0;
}
