// Twenty-three locks. A round takes those that it needs, and finds them taken when it uses them; nothing is kept from round to round.
procedure main()
{
  var rounds, need1, lock1, need2, lock2, need3, lock3, need4, lock4, need5, lock5, need6, lock6,
      need7, lock7, need8, lock8, need9, lock9, need10, lock10, need11, lock11, need12, lock12,
      need13, lock13, need14, lock14, need15, lock15, need16, lock16, need17, lock17, need18, lock18,
      need19, lock19, need20, lock20, need21, lock21, need22, lock22, need23, lock23: int;

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
    havoc need12;
    lock12 := 0;
    havoc need13;
    lock13 := 0;
    havoc need14;
    lock14 := 0;
    havoc need15;
    lock15 := 0;
    havoc need16;
    lock16 := 0;
    havoc need17;
    lock17 := 0;
    havoc need18;
    lock18 := 0;
    havoc need19;
    lock19 := 0;
    havoc need20;
    lock20 := 0;
    havoc need21;
    lock21 := 0;
    havoc need22;
    lock22 := 0;
    havoc need23;
    lock23 := 0;
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
    if (need12 != 0) { lock12 := 1; }
    if (need13 != 0) { lock13 := 1; }
    if (need14 != 0) { lock14 := 1; }
    if (need15 != 0) { lock15 := 1; }
    if (need16 != 0) { lock16 := 1; }
    if (need17 != 0) { lock17 := 1; }
    if (need18 != 0) { lock18 := 1; }
    if (need19 != 0) { lock19 := 1; }
    if (need20 != 0) { lock20 := 1; }
    if (need21 != 0) { lock21 := 1; }
    if (need22 != 0) { lock22 := 1; }
    if (need23 != 0) { lock23 := 1; }
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
    if (need12 != 0) { assert lock12 == 1; }
    if (need13 != 0) { assert lock13 == 1; }
    if (need14 != 0) { assert lock14 == 1; }
    if (need15 != 0) { assert lock15 == 1; }
    if (need16 != 0) { assert lock16 == 1; }
    if (need17 != 0) { assert lock17 == 1; }
    if (need18 != 0) { assert lock18 == 1; }
    if (need19 != 0) { assert lock19 == 1; }
    if (need20 != 0) { assert lock20 == 1; }
    if (need21 != 0) { assert lock21 == 1; }
    if (need22 != 0) { assert lock22 == 1; }
    if (need23 != 0) { assert lock23 == 1; }
  }
}
