#define WORD "included"
