// Units move between three purses, one at a time and in any order. Whatever moves, all three together hold n as at the beginning.
// The example of SLICE, Figure 1 (docs/papers.md).
procedure main()
{
  var x, y, z, n: int;

  assume x == n && y == 0 && z == 0;
  while (x != 0) {
    if (*) { x := x + 1; y := y - 1; }
    if (*) { y := y + 1; z := z - 1; }
    if (*) { z := z + 1; x := x - 1; }
  }
  assert y + z == n;
}
