// A tree of depth n has no more than seven nodes for n up to 3.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

struct tree { struct tree *left, *right; };

struct tree *build(int depth)
{
  struct tree *root;
  if (depth == 0)
    return 0;
  root = malloc(sizeof *root);
  root->left = build(depth - 1);
  root->right = build(depth - 1);
  return root;
}

int size(struct tree *tree)
{
  return tree ? size(tree->left) + 1 + size(tree->right) : 0;
}

int main(void)
{
  if (size(build(3)) != 7)
    reach_error();
  return 0;
}
