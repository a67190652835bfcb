// Two variables run in step.
procedure main()
{
  var i, j: int;

  assume i == j;
  while (*) { i, j := i + 1, j + 1; }
  assert i == j;
}
