#!/bin/sh
# A stand-in for `craig` in tests: answers by the name of the file, the last argument, and keeps the arguments of every
# check in a file `seen` beside it. Under a name with `old` it knows no limit on CPU time.
for file; do :; done
case "$*" in
    --version) echo 'craig 9.9.9'; exit 0;;
    'check --help') case "$0" in *old*) ;; *) echo '  --cpu-limit <TIME>';; esac; exit 0;;
    *--nonsense*--help) echo "error: unexpected argument '--nonsense'" >&2; exit 3;;
    *--help) exit 0;;
esac
case "$file" in *odd.c) echo 'error: no C' >&2; exit 3;; esac
if [ "$1" = cfa ]; then
    echo '{"file":"a","procedures":1,"variables":2,"locations":3,"edges":4,"operations":4,"unsupported":{"asm":2},"wall_s":0}'
    exit 0
fi
echo "$*" >> "$(dirname "$file")/seen"
case "$file" in
    *safe.c) echo '{"verdict":"SAFE","certificate":{"checked":true},"stats":{"solver_calls":7}}'; exit 0;;
    *bug.c) echo '{"verdict":"UNSAFE","replay":{"ok":true},"stats":{"solver_calls":3}}'; exit 1;;
    *late.c) while :; do :; done;;
    *crash.c) kill -SEGV $$;;
    *) echo '{"verdict":"UNKNOWN","reason":"unsupported: asm"}'; exit 2;;
esac
