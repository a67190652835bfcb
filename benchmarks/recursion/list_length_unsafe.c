// As list_length.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node { int value; struct node *next; };

int length(struct node *list)
{
  if (list == 0)
    return 0;
  return 1 + length(list->next);
}

int main(void)
{
  struct node a = { 1, 0 }, b = { 2, 0 }, c = { 3, &b }, d = { 4, &c };
  if (length(&d) != 4)
    reach_error();
  return 0;
}
