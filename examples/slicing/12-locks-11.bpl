// Eleven locks. A round takes those that it needs, and finds them taken when it uses them; nothing is kept from round to round.
procedure main()
{
  var rounds, need1, lock1, need2, lock2, need3, lock3, need4, lock4, need5, lock5, need6, lock6,
      need7, lock7, need8, lock8, need9, lock9, need10, lock10, need11, lock11: int;

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
    havoc need6;
    lock6 := 0;
    havoc need7;
    lock7 := 0;
    havoc need8;
    lock8 := 0;
    havoc need9;
    lock9 := 0;
    havoc need10;
    lock10 := 0;
    havoc need11;
    lock11 := 0;
    if (need1 != 0) { lock1 := 1; }
    if (need2 != 0) { lock2 := 1; }
    if (need3 != 0) { lock3 := 1; }
    if (need4 != 0) { lock4 := 1; }
    if (need5 != 0) { lock5 := 1; }
    if (need6 != 0) { lock6 := 1; }
    if (need7 != 0) { lock7 := 1; }
    if (need8 != 0) { lock8 := 1; }
    if (need9 != 0) { lock9 := 1; }
    if (need10 != 0) { lock10 := 1; }
    if (need11 != 0) { lock11 := 1; }
    if (need1 != 0) { assert lock1 == 1; }
    if (need2 != 0) { assert lock2 == 1; }
    if (need3 != 0) { assert lock3 == 1; }
    if (need4 != 0) { assert lock4 == 1; }
    if (need5 != 0) { assert lock5 == 1; }
    if (need6 != 0) { assert lock6 == 1; }
    if (need7 != 0) { assert lock7 == 1; }
    if (need8 != 0) { assert lock8 == 1; }
    if (need9 != 0) { assert lock9 == 1; }
    if (need10 != 0) { assert lock10 == 1; }
    if (need11 != 0) { assert lock11 == 1; }
  }
}
