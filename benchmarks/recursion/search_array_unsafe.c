// As search_array.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int keys[6] = { 2, 3, 5, 7, 11, 13 };

int search(int key, int low, int high)
{
  int middle;
  if (low >= high)
    return -1;
  middle = (low + high) / 2;
  if (keys[middle] == key)
    return middle;
  if (keys[middle] < key)
    return search(key, middle + 1, high);
  return search(key, low, middle);
}

int main(void)
{
  int key = __VERIFIER_nondet_int(), at = search(key, 0, 6);
  if (at < 0 ? key == 8 : keys[at] != key)
    reach_error();
  return 0;
}
