// High and low water move apart and together again; their middle stays where it was.
procedure main()
{
  var high, low, middle: int;

  high, low := middle, middle;
  while (*) {
    if (*) {
      high := high + 1;
      low := low - 1;
    } else {
      high := high - 1;
      low := low + 1;
    }
  }
  assert high + low == 2 * middle;
}
