// Rows of a shelf are filled one by one; what is left of the stock is what has not been placed.
procedure main()
{
  var stock, left, placed, row, width: int;

  assume stock >= 0 && width > 0;
  left, placed := stock, 0;
  while (left > 0) {
    row := 0;
    while (row < width && left > 0) {
      row := row + 1;
      left := left - 1;
      placed := placed + 1;
    }
    if (*) {
      left := left + row;
      placed := placed - row;
    }
  }
  assert placed == stock;
}
