// Five locks. A round takes those that it needs, and finds them taken when it uses them; nothing is kept from round to round.
procedure main()
{
  var rounds, need1, lock1, need2, lock2, need3, lock3, need4, lock4, need5, lock5: int;

  rounds := 0;
  while (*) {
    rounds := rounds + 1;
    havoc need1;
    lock1 := 0;
    havoc need2;
    lock2 := 0;
    havoc need3;
    lock3 := 0;
    havoc need4;
    lock4 := 0;
    havoc need5;
    lock5 := 0;
    if (need1 != 0) { lock1 := 1; }
    if (need2 != 0) { lock2 := 1; }
    if (need3 != 0) { lock3 := 1; }
    if (need4 != 0) { lock4 := 1; }
    if (need5 != 0) { lock5 := 1; }
    if (need1 != 0) { assert lock1 == 1; }
    if (need2 != 0) { assert lock2 == 1; }
    if (need3 != 0) { assert lock3 == 1; }
    if (need4 != 0) { assert lock4 == 1; }
    if (need5 != 0) { assert lock5 == 1; }
  }
}
