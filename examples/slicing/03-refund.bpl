// A debt is paid off in parts, and sometimes a part is paid back.
procedure main()
{
  var debt, paid, owed: int;

  paid, owed := 0, debt;
  while (owed != 0) {
    if (*) {
      paid, owed := paid + 1, owed - 1;
    } else {
      paid, owed := paid - 1, owed + 1;
    }
  }
  assert paid == debt;
}
