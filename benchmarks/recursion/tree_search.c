// A search tree: a key is found exactly if it is there.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct tree { int key; struct tree *left, *right; };

int find(struct tree *tree, int key)
{
  if (tree == 0)
    return 0;
  if (tree->key == key)
    return 1;
  return find(key < tree->key ? tree->left : tree->right, key);
}

int main(void)
{
  struct tree a = { 1, 0, 0 }, c = { 5, 0, 0 }, b = { 3, &a, &c };
  int key = __VERIFIER_nondet_int();
  if (find(&b, key) != (key == 1 || key == 3 || key == 5))
    reach_error();
  return 0;
}
