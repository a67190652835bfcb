// Posts and the gaps between them: one too few is counted when the fence begins with a gate.
procedure main()
{
  var posts, gaps, length, gate: int;

  assume length > 0;
  posts, gaps := 1, 0;
  if (gate == 1) { posts := 0; }
  while (gaps < length) {
    gaps := gaps + 1;
    posts := posts + 1;
  }
  assert posts == gaps + 1;
}
