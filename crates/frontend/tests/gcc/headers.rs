//! Plain C texts that include the headers of the C library, in both data models; places are those that the user wrote.

use crate::support::{MODELS, interpret, messages, reading};
use craig_base::Budget;
use craig_cfa::interp::RunEnd;
use craig_cfa::{DataModel, Op, Program, verify};
use craig_frontend::{LoadError, Reading};

/// Loads a text as a file, through the preprocessor.
fn load_file(text: &str, reading: &Reading) -> Program {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("user.c");
    std::fs::write(&file, text).unwrap();
    let program = craig_frontend::load(&file, reading, &Budget::unlimited())
        .map_err(LoadError::rejected)
        .map(|loaded| loaded.program)
        .unwrap_or_else(|f| panic!("{:?}: {}\n{text}", reading.model, messages(&f).join("\n")));
    verify::verify(&program).unwrap_or_else(|v| panic!("{v:#?}\n{text}"));
    program
}

/// Ends with status 0 in both data models and prints the text.
fn prints(text: &str, expected: &str) {
    for model in MODELS {
        let program = load_file(text, &reading(model));
        let (printed, outcome) = interpret(&program);
        assert_eq!(outcome, RunEnd::Ended { status: Some(0) }, "{model:?}\n{text}");
        assert_eq!(printed, expected, "{model:?}\n{text}");
    }
}

#[test]
fn every_header_alone() {
    for header in [
        "stdio.h",
        "stdlib.h",
        "string.h",
        "stdint.h",
        "limits.h",
        "assert.h",
        "stdbool.h",
        "stdarg.h",
        "ctype.h",
        "errno.h",
        "stddef.h",
        "inttypes.h",
        "math.h",
        "time.h",
        "unistd.h",
        "pthread.h",
        "setjmp.h",
        "signal.h",
        "float.h",
        "iso646.h",
        "stdalign.h",
        "stdnoreturn.h",
        "locale.h",
        "wchar.h",
        "fcntl.h",
        "sys/types.h",
        "sys/stat.h",
        "sys/time.h",
        "sys/socket.h",
        "netinet/in.h",
    ] {
        prints(&format!("#include <{header}>\nint main(void) {{ return 0; }}\n"), "");
    }
}

#[test]
fn all_headers_used() {
    let text = r#"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { uint16_t key; struct node *next; };

static int sum(int count, ...) {
    va_list list;
    int total = 0;
    va_start(list, count);
    while (count-- > 0) total += va_arg(list, int);
    va_end(list);
    return total;
}

int main(void) {
    bool ok = true;
    char text[32];
    struct node *n = malloc(sizeof *n);
    assert(n != NULL);
    n->key = UINT16_MAX;
    n->next = NULL;
    assert(n->key == 65535 && offsetof(struct node, next) == sizeof(void *));
    free(n);
    strcpy(text, "Craig");
    for (size_t i = 0; i < strlen(text); i++) {
        if (isupper(text[i])) text[i] = tolower(text[i]);
        else if (isalpha(text[i])) text[i] = toupper(text[i]);
        ok = ok && !isdigit(text[i]);
    }
    errno = EINVAL;
    assert(errno == 22);
    int64_t big = INT64_MIN;
    assert(big < INT32_MIN && UINT8_MAX == UCHAR_MAX && CHAR_BIT == 8 && INT_MAX + 1u == 1u << 31);
    assert(sizeof(intptr_t) == sizeof(void *) && sizeof(size_t) == sizeof(long) && LONG_MAX >> (sizeof(long) * 8 - 2) == 1);
    printf("%s %d %d %s\n", text, sum(3, 1, 2, 3), abs(-4), ok ? "yes" : "no");
    if (memcmp(text, "cRAIG", 5) != 0) return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
"#;
    prints(text, "cRAIG 6 4 yes\n");
}

#[test]
fn the_data_model_is_seen_by_the_preprocessor() {
    let text = "#include <limits.h>\n#if LONG_MAX > 2147483647\n#define BITS 64\n#else\n#define BITS 32\n#endif\n\
                #ifdef __x86_64__\n#define WIDE 1\n#else\n#define WIDE 0\n#endif\n\
                int main(void) { return BITS == sizeof(long) * 8 && WIDE == (BITS == 64) ? 0 : 1; }";
    prints(text, "");
}

#[test]
fn definitions_and_folders_of_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.h"), "#define NINE 9\n").unwrap();
    let text = "#include <mine.h>\nint main(void) { return NINE - THREE * ONE - 6; }";
    let reading = Reading {
        include_dirs: vec![dir.path().into()],
        defines: vec!["THREE=3".into(), "ONE".into()],
        ..reading(DataModel::Lp64)
    };
    let (_, outcome) = interpret(&load_file(text, &reading));
    assert_eq!(outcome, RunEnd::Ended { status: Some(0) });
}

/// `line:column` of all operations that lead to the error.
fn error_places(program: &Program) -> Vec<String> {
    let places = program.edges.iter().filter(|e| e.to == program.error).map(|e| {
        let place = program.source.position(e.span);
        assert!(place.file.ends_with("user.c"), "{}", place.file);
        place.line.to_string()
    });
    places.collect()
}

#[test]
fn places_are_those_of_the_user() {
    let text = "#include <assert.h>\n#include <stdio.h>\n#define CHECK(x) \\\n    assert((x) > 3)\n\
                void __VERIFIER_error(void);\n/* a comment\n   of two lines */\nint f(int x) {\n  assert(x);\n\n  CHECK(x);\n\
                \x20 if (x == 7)\n    __VERIFIER_error();\n  return x;\n}\nint main(int argc, char **argv) { return f(argc); }\n";
    for model in MODELS {
        assert_eq!(error_places(&load_file(text, &reading(model))), ["9", "11", "13"], "{model:?}");
    }
}

#[test]
fn operations_of_macros_stand_where_the_macro_is_used() {
    let text = "#define SET(a, b) do { \\\n  a = b; \\\n  a++; \\\n} while (0)\n\nint x;\nint main(void) {\n  SET(x, 5);\n  return x;\n}\n";
    let program = load_file(text, &reading(DataModel::Lp64));
    let lines: Vec<u32> = program
        .ops()
        .filter(|(op, _)| {
            matches!(op, Op::Assign(place, _) if program.exprs.root_var(*place)
            .is_some_and(|v| &*program.vars[v].name == "x"))
        })
        .map(|(_, span)| program.source.line(span))
        .collect();
    assert_eq!(lines, [8, 8]);
}

#[test]
fn what_the_preprocessor_refuses() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("user.c");
    for (text, message) in [
        ("#include <no/such/header.h>\nint main(void) {}", "no/such/header.h: No such file or directory"),
        ("#if 1\nint main(void) {}", "unterminated #if"),
        ("#error nothing works\nint main(void) {}", "#error nothing works"),
    ] {
        std::fs::write(&file, text).unwrap();
        let loaded = craig_frontend::load(&file, &reading(DataModel::Ilp32), &Budget::unlimited());
        let rejected = loaded.expect_err(text).rejected();
        let all = messages(&rejected).join("\n");
        assert!(all.contains("the C preprocessor failed") && all.contains(message), "{all}");
    }
}
