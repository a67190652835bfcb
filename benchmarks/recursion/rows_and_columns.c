// A recursive procedure with a loop in its body: it clears row after row.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int cleared;

void clear(int rows)
{
  int column = 0;
  if (rows <= 0)
    return;
  while (column < 8) {
    column++;
    cleared++;
  }
  clear(rows - 1);
}

int main(void)
{
  int rows = __VERIFIER_nondet_int();
  if (rows < 0 || rows > 100000)
    return 0;
  clear(rows);
  if (cleared < rows)
    reach_error();
  return 0;
}
