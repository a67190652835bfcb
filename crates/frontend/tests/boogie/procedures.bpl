// Procedures, contracts, old values: every assertion holds.

var g: int;
var h: [int]int;
const limit: int;
axiom limit == 12;

procedure main()
  modifies g, h;
{
  var a, b: int;
  var flag: bool;

  g := 5;
  call a := add(g, 2);
  assert a == 7 && g == 5;
  call a, b := swap(a, g);
  assert a == 5 && b == 7;
  call b := factorial(5);
  assert b == 120;
  call bump(3);
  assert g == 8;
  call flag := is_even(10);
  assert flag;
  h[1] := 10;
  call write(1, 11);
  assert h[1] == 11;
  call a := below(limit);
  assert a < limit;
  call b := pick();
  assert b == 1 || b == 2;
  call other_names(4);
}

procedure add(x: int, y: int) returns (r: int)
  ensures r == x + y;
{
  r := x + y;
}

procedure swap(x: int, y: int) returns (p: int, q: int)
  ensures p == y;
  ensures q == x;
{
  p, q := x, y;
  p, q := q, p;
}

procedure factorial(n: int) returns (r: int)
  requires n >= 0;
  ensures r >= 1;
{
  var below: int;
  if (n == 0) {
    r := 1;
    return;
  }
  call below := factorial(n - 1);
  r := n * below;
}

procedure bump(by: int)
  requires by > 0;
  modifies g;
  ensures g == old(g) + by;
  ensures old(g) < g;
{
  var before: int;
  before := g;
  g := g + by;
  assert old(g) == before;
  assert old(g + 1) == before + 1;
}

procedure is_even(n: int) returns (r: bool)
{
  if (n == 0) { r := true; } else { call r := is_odd(n - 1); }
}

procedure is_odd(n: int) returns (r: bool)
{
  if (n == 0) { r := false; } else { call r := is_even(n - 1); }
}

procedure write(at: int, value: int)
  modifies h;
  ensures h == old(h)[at := value];
{
  h[at] := value;
}

// Given by its contract only.
procedure below(bound: int) returns (r: int);
  ensures r < bound;

// Two implementations: either may be meant.
procedure pick() returns (r: int);
  ensures r > 0;

implementation pick() returns (one: int) { one := 1; }
implementation pick() returns (two: int) { two := 2; }

// The implementation has names of its own.
procedure other_names(x: int);
  requires x == 4;
  free requires x < 100;

implementation other_names(y: int)
{
  assert y == 4;
}
