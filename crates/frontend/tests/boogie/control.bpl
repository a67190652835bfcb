// Control flow: every assertion holds, and the last one is reached.

procedure main()
{
  var i, n, sum: int;
  var b: bool;

  // Loops, break, nested loops with labels.
  i, sum := 0, 0;
  while (i < 10)
    invariant 0 <= i && i <= 10;
    invariant sum * 2 == i * (i - 1);
  {
    sum := sum + i;
    i := i + 1;
  }
  assert i == 10 && sum == 45;

  i := 0;
  Outer: while (true)
  {
    n := 0;
    while (true)
    {
      if (n == 3) { break; }
      if (i == 5) { break Outer; }
      n := n + 1;
    }
    assert n == 3;
    i := i + 1;
  }
  assert i == 5 && n == 0;

  Block: if (i == 5) {
    i := 6;
    if (i == 6) { break Block; }
    assert false;
  }
  assert i == 6;

  // Chains of conditions.
  if (i < 0) { n := 1; } else if (i < 10) { n := 2; } else { n := 3; }
  assert n == 2;
  if (i == 6) { n := 4; }
  assert n == 4;

  // Arbitrary choices.
  if (*) { b := true; } else { b := false; }
  assert b || !b;
  n := 0;
  while (*) { n := n + 1; if (n == 7) { break; } }
  assert n >= 0 && n <= 7;

  // Jumps, also into the middle and backwards.
  i := 0;
  goto Left, Right;
 Left:
  assume i == 0;
  i := 1;
  goto Join;
 Right:
  i := 2;
 Join:
  assert i == 1 || i == 2;
  i := i + 2;
  goto More, Done;
 More:
  assume i < 20;
  goto Join2;
 Done:
  assume i >= 3;
 Join2:
  assert i == 3 || i == 4;

  // A blocked branch does not go on.
  if (*) { assume false; assert false; }
  return;
  assert false;
}
