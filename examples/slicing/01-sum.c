// 01-sum.bpl in C. Its integers have bounds; where one of them overflows, the run has no meaning.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
  int n = __VERIFIER_nondet_int();
  int x = n, y = 0, z = 0;

  while (x != 0) {
    if (__VERIFIER_nondet_int()) { x = x + 1; y = y - 1; }
    if (__VERIFIER_nondet_int()) { y = y + 1; z = z - 1; }
    if (__VERIFIER_nondet_int()) { z = z + 1; x = x - 1; }
  }
  if (y + z != n) reach_error();
  return 0;
}
