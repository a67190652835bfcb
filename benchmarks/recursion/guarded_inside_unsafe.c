// The error is inside the recursive procedure; who calls it in the loop keeps it from there.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int room(int used, int limit)
{
  if (used > limit)
    reach_error();
  if (used == limit)
    return 0;
  return 1 + room(used + 1, limit);
}

int main(void)
{
  int limit = __VERIFIER_nondet_int();
  int used = 0;
  int left;
  if (limit < 0 || limit > 1000)
    return 0;
  while (used <= limit) {
    used++;
    left = room(used, limit);
    if (left < 0)
      return 0;
    used++;
  }
  return 0;
}
