// As 05-spool.bpl, but the lock is dropped with every job that is done, and whoever comes after the last one relies on it.
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
        lock := 0;
      } else {
        assert lock == 1;
        lock := 0;
      }
    }
    if (seen != taken) {
      assert lock == 1;
    }
    lock := 0;
  }
}
