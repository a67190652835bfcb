// The first runs twice as fast as the second, forwards and, in a second loop, backwards.
procedure main()
{
  var fast, slow, from: int;

  assume fast == from + 2 * slow;
  while (*) { fast, slow := fast + 2, slow + 1; }
  while (slow != 0) { fast, slow := fast - 2, slow - 1; }
  assert fast == from;
}
