// Integers, reals, maps, bit-vectors, functions: every assertion holds.

type Ref;
type Heap = [Ref]int;
type Pair a b = [a]b;

const unique null, one: Ref;
const size: int;
const double: int;
axiom double == size + size;
axiom size == 21;

var heap: Heap where heap[null] == 0;

function square(x: int): int { x * x }
function cube(x: int) returns (r: int) { x * square(x) }
function {:inline} between(lo: int, x: int, hi: int): bool { lo <= x && x < hi }
function unknown(x: int, y: bool): int;
function identity<t>(x: t): t;

function {:bvbuiltin "bvadd"} add8(x: bv8, y: bv8): bv8;
function {:bvbuiltin "bvudiv"} div8(x: bv8, y: bv8): bv8;
function {:bvbuiltin "sign_extend 8"} sext(x: bv8): bv16;
function {:bvbuiltin "zero_extend 8"} zext(x: bv8): bv16;

procedure main()
  modifies heap;
{
  var x, y: int where x >= 0;
  var r: real;
  var m: [int, bool]real;
  var n: Pair int (Pair int bool);
  var v: bv8;
  var old_heap: Heap;

  // Euclidean division: the remainder is never negative.
  assert 7 div 2 == 3 && 7 mod 2 == 1;
  assert -7 div 2 == -4 && -7 mod 2 == 1;
  assert 7 div -2 == -3 && 7 mod -2 == 1;
  assert -7 div -2 == 4 && -7 mod -2 == 1;
  x, y := -7, 2;
  assert x div y == -4 && x mod y == 1;
  assert x mod 0 == x mod 0;

  // Integers have no bounds.
  x := 340282366920938463463374607431768211456;
  assert x * x - 1 == (x - 1) * (x + 1);

  // Reals are exact.
  r := 0.1;
  assert r + r + r == 0.3;
  assert 1.0 / 3.0 * 3.0 == 1.0;
  assert int(2.5) == 2 && int(-2.5) == -3 && real(3) == 3.0;
  assert 25e-1 == 2.5;

  // Maps.
  m[1, true] := 0.5;
  m[1, false] := 1.5;
  assert m[1, true] + m[1, false] == 2.0;
  assert m[2, true := 4.0][2, true] == 4.0 && m[2, true := 4.0][1, true] == 0.5;
  n[3][4] := true;
  n[3][5] := false;
  assert n[3][4] && !n[3][5];
  old_heap := heap;
  heap[one] := 5;
  heap[null] := 0;
  assert heap[null] == 0 && heap[one] == 5;
  assert heap[one := 6][one] == 6 && heap == old_heap[one := 5];
  havoc heap;
  assert heap[null] == 0;
  havoc x, y;
  assert x >= 0;

  // Constants and functions.
  assert double == 42 && null != one;
  assert cube(3) == 27 && between(0, cube(2), 9);
  assert unknown(x, true) == unknown(x + 0, x == x);
  assert identity(3) == identity(1 + 2) && identity(one) == identity(one);

  // Bit-vectors.
  v := add8(200bv8, 100bv8);
  assert v == 44bv8;
  assert div8(v, 0bv8) == 255bv8;
  assert v[8:4] == 2bv4 && v[4:0] == 12bv4 && v[8:4] ++ v[4:0] == v;
  assert sext(128bv8) == 65408bv16 && zext(128bv8) == 128bv16;

  // Logic.
  assert false ==> false && true;
  assert (true <== false) && (false <==> false) && !(true <==> false);
  x := if x < 0 then -x else x;
  assert x >= 0;
  assert (if x == x then 1 else 2) == 1;
}
