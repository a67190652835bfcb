// A device takes jobs and does them under a lock, which it drops while new ones come in and wherever it pauses. The lock is never taken or dropped
// twice, and every job that was taken is done.
procedure main()
{
  var lock, taken, done, seen, more: int;

  lock, taken, done := 0, 0, 0;
  while (*) {
    assert lock == 0;
    lock := 1;
    seen := taken;
    havoc more;
    if (more > 0) {
      assert lock == 1;
      lock := 0;
      taken := taken + more;
    }
    while (done < taken) {
      if (lock == 0) {
        lock := 1;
      }
      if (*) {
        done := done + 1;
      } else {
        assert lock == 1;
        lock := 0;
      }
    }
    if (seen != taken) {
      if (lock == 0) {
        lock := 1;
      }
    }
    assert done == taken;
    if (lock == 1) {
      lock := 0;
    }
    assert lock == 0;
  }
}
