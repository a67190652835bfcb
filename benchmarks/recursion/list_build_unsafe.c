// As list_build.c, but for one place: the error can be reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

struct node { int value; struct node *next; };

struct node *build(int n)
{
  struct node *head;
  if (n == 0)
    return 0;
  head = malloc(sizeof *head);
  head->value = n;
  head->next = build(n - 1);
  return head;
}

int sum(struct node *list)
{
  return list ? list->value + sum(list->next) : 0;
}

int main(void)
{
  if (sum(build(3)) != 10)
    reach_error();
  return 0;
}
