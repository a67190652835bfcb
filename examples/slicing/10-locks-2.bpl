// Two locks. A round takes those that it needs, and finds them taken when it uses them; nothing is kept from round to round.
procedure main()
{
  var rounds, need1, lock1, need2, lock2: int;

  rounds := 0;
  while (*) {
    rounds := rounds + 1;
    havoc need1;
    lock1 := 0;
    havoc need2;
    lock2 := 0;
    if (need1 != 0) { lock1 := 1; }
    if (need2 != 0) { lock2 := 1; }
    if (need1 != 0) { assert lock1 == 1; }
    if (need2 != 0) { assert lock2 == 1; }
  }
}
