//! Input that is no program: a clear message, exit 3, no panic, no stack overflow.

use crate::support::{Folder, Ran, craig};

/// Reads the content as `.i` and as `.c`, with both commands.
fn read(folder: &Folder, content: impl AsRef<[u8]>) -> Vec<Ran> {
    let mut runs = Vec::new();
    for name in ["input.i", "input.c"] {
        folder.write(name, content.as_ref());
        runs.push(craig(&["cfa", "--summary", name], &folder.0));
        runs.push(craig(&["run", "--steps", "1000", name], &folder.0));
    }
    runs
}

/// What is large and valid takes its time: one command is enough.
fn read_large(folder: &Folder, content: impl AsRef<[u8]>) -> Ran {
    folder.write("large.i", content);
    craig(&["cfa", "--summary", "large.i"], &folder.0)
}

/// Nothing that a user should never see, and nothing that would flood a terminal.
fn assert_civil(ran: &Ran) {
    let short: String = ran.stderr.chars().take(2000).collect();
    let context = format!("{}: exit {:?}\n{short}", ran.command, ran.code);
    assert!(ran.code.is_some(), "ended by a signal: {context}");
    for word in ["panicked", "overflowed its stack", "internal", "RUST_BACKTRACE"] {
        assert!(!ran.stderr.contains(word), "{word}: {context}");
    }
    assert!(ran.stderr.lines().all(|l| l.chars().count() < 400), "a very long line: {context}");
    assert!(ran.stderr.lines().count() < 300, "very many lines: {context}");
    let control = |c: char| c.is_control() && c != '\n';
    assert!(!ran.stderr.contains(control), "control characters: {context}");
}

fn assert_refused(ran: &Ran) {
    assert_civil(ran);
    let short: String = ran.stderr.chars().take(2000).collect();
    assert_eq!(ran.code, Some(3), "{}\n{short}", ran.command);
    assert!(ran.stderr.starts_with("error: "), "{}\n{short}", ran.command);
    assert_eq!(ran.stdout, "", "{}", ran.command);
}

/// Refused, with one of the words in the message.
fn assert_refused_with(ran: &Ran, words: &[&str]) {
    assert_refused(ran);
    assert!(
        words.iter().any(|w| ran.stderr.contains(w)),
        "none of {words:?} in {}\n{}",
        ran.command,
        ran.stderr
    );
}

/// What is valid C may be read as well; what is too deep may be refused with a message. Nothing else may happen.
fn assert_read_or_refused(ran: &Ran) {
    if ran.code == Some(3) {
        assert_refused(ran);
    } else {
        assert_civil(ran);
        // `run` may also end at its step limit.
        assert!(matches!(ran.code, Some(0 | 2)), "{}: {:?}\n{}", ran.command, ran.code, ran.stderr);
    }
}

const LONG: usize = 5_000_000;

fn main_with(statement: &str) -> String {
    format!("int main(void) {{ int x = 0; {statement} return x; }}\n")
}

#[test]
fn an_empty_file() {
    let folder = Folder::new("empty");
    for content in ["", "\n", " \t\n\n", "/* nothing */", "// nothing\n", ";\n"] {
        for ran in read(&folder, content) {
            assert_refused_with(&ran, &["main"]);
        }
    }
}

#[test]
fn binary_garbage() {
    let folder = Folder::new("binary");
    let mut state = 1u64;
    let noise: Vec<u8> = (0..100_000)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u8
        })
        .collect();
    let control: Vec<u8> = (0..=255).collect();
    let elf = std::fs::read(env!("CARGO_BIN_EXE_craig")).unwrap();
    for content in [&noise[..], &control, &elf[..elf.len().min(1_000_000)], &[0u8; 1000], &[0xff; 1000]] {
        for ran in read(&folder, content) {
            assert_refused(&ran);
        }
    }
}

#[test]
fn text_that_is_not_utf8() {
    let folder = Folder::new("latin1");
    for ran in read(&folder, b"int main(void) { int gr\xfc\xdfe = 1; return gr\xfc\xdfe; }\n") {
        assert_refused(&ran);
    }
    // In comments and strings such bytes occur in old programs: they may be read.
    for ran in read(&folder, b"/* gr\xfc\xdfe */ int main(void) { char *s = \"\xe9\"; return 0; }\n") {
        assert_read_or_refused(&ran);
    }
}

#[test]
fn one_long_line_of_one_token() {
    let folder = Folder::new("token");
    for ran in read(&folder, "a".repeat(LONG)) {
        assert_refused(&ran);
    }
    for ran in read(&folder, "1".repeat(LONG)) {
        assert_refused(&ran);
    }
    for ran in read(&folder, main_with(&format!("x = {};", "1".repeat(LONG)))) {
        assert_read_or_refused(&ran);
    }
}

#[test]
fn one_long_line_that_is_an_expression() {
    let folder = Folder::new("expression");
    // Valid C: may be read.
    for ran in read(&folder, main_with(&format!("x = 1{};", "+1".repeat(LONG / 2)))) {
        assert_read_or_refused(&ran);
    }
}

#[test]
fn one_long_line_of_parentheses() {
    let folder = Folder::new("parentheses");
    for ran in read(&folder, "(".repeat(LONG)) {
        assert_refused(&ran);
    }
    for ran in read(&folder, main_with(&format!("x = {};", "(".repeat(LONG)))) {
        assert_refused(&ran);
    }
}

#[test]
fn one_long_line_of_an_unterminated_string() {
    let folder = Folder::new("string");
    for ran in read(&folder, main_with(&format!("char *s = \"{}", "s".repeat(LONG)))) {
        assert_refused(&ran);
    }
}

#[test]
fn one_long_line_of_semicolons() {
    let folder = Folder::new("semicolons");
    for ran in read(&folder, ";".repeat(LONG)) {
        assert_refused(&ran);
    }
    // Empty statements: valid C.
    assert_read_or_refused(&read_large(&folder, main_with(&";".repeat(LONG))));
}

#[test]
fn deep_nesting() {
    let folder = Folder::new("nesting");
    let n = 10_000;
    // All valid C: may be read. What the language allows but nobody can need may be refused.
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-(", "1", ")"),
        ("!", "1", ""),
        ("(int)", "1", ""),
        ("1+(", "1", ")"),
        ("1?", "1", ":1"),
        ("1?1:", "1", ""),
    ] {
        let text = format!("x = {}{middle}{};", open.repeat(n), close.repeat(n));
        for ran in read(&folder, main_with(&text)) {
            assert_read_or_refused(&ran);
        }
    }
    for (open, close) in [("{", "}"), ("if (x) {", "}"), ("if (x) ", ";"), ("while (x) ", ";"), ("do ", ";")]
    {
        let text = if open == "do " {
            format!("{};{}", open.repeat(n), " while (x);".repeat(n))
        } else if close == ";" {
            format!("{};", open.repeat(n))
        } else {
            format!("{}{}", open.repeat(n), close.repeat(n))
        };
        for ran in read(&folder, main_with(&text)) {
            assert_read_or_refused(&ran);
        }
    }
    for ran in read(&folder, format!("int {}p; int main(void) {{ return 0; }}", "*".repeat(n))) {
        assert_read_or_refused(&ran);
    }
    for ran in read(&folder, format!("int a{}; int main(void) {{ return 0; }}", "[1]".repeat(n))) {
        assert_read_or_refused(&ran);
    }
    for ran in read(
        &folder,
        format!("int a[1] = {}0{}; int main(void) {{ return 0; }}", "{".repeat(n), "}".repeat(n)),
    ) {
        assert_read_or_refused(&ran);
    }
    // Never closed.
    for open in ["(", "{", "[", "if (x) {", "f("] {
        for ran in read(&folder, main_with(&open.repeat(n))) {
            assert_refused(&ran);
        }
    }
}

#[test]
fn things_without_an_end() {
    let folder = Folder::new("unterminated");
    for text in [
        "int main(void) { return 0; /* no end }\n",
        "int main(void) { char *s = \"no end; return 0; }\n",
        "int main(void) { char c = 'x; return 0; }\n",
        "int main(void) { return 0;\n",
        "int main(void) { return (1 + 2; }\n",
        "int a[3 = { 1, 2, 3 };\nint main(void) { return 0; }\n",
        "struct s { int x;\n",
        "int main(void) { return 0 \\",
    ] {
        for ran in read(&folder, text) {
            assert_refused(&ran);
        }
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new("files");
    for command in ["cfa", "run"] {
        assert_refused_with(&craig(&[command, "missing.c"], &folder.0), &["missing.c"]);
        assert_refused_with(&craig(&[command, "missing/missing.c"], &folder.0), &["missing.c"]);
        assert_refused(&craig(&[command, ""], &folder.0));
        std::fs::create_dir_all(folder.0.join("folder.c")).unwrap();
        for name in ["folder.c", "."] {
            assert_refused_with(&craig(&[command, name], &folder.0), &["directory", "folder"]);
        }
    }
}

#[test]
#[cfg(unix)]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("permission");
    folder.write("secret.c", "int main(void) { return 0; }\n");
    let path = folder.0.join("secret.c");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0)).unwrap();
    if std::fs::read(&path).is_ok() {
        // The superuser reads everything: there is nothing to see.
        return;
    }
    for command in ["cfa", "run"] {
        assert_refused_with(&craig(&[command, "secret.c"], &folder.0), &["secret.c"]);
    }
}

#[test]
fn programs_without_a_beginning_or_with_two() {
    let folder = Folder::new("main");
    for ran in read(&folder, "int f(void) { return 0; }\n") {
        assert_refused_with(&ran, &["main"]);
    }
    for ran in read(&folder, "int main(void);\n") {
        assert_refused_with(&ran, &["main"]);
    }
    for ran in read(&folder, "int main;\n") {
        assert_refused_with(&ran, &["main"]);
    }
    for ran in read(&folder, "int main(void) { return 0; }\nint main(void) { return 1; }\n") {
        assert_refused_with(&ran, &["main"]);
    }
    folder.write("fine.c", "int main(void) { return 0; }\n");
    assert_refused_with(&craig(&["cfa", "fine.c", "--entry", "start"], &folder.0), &["start"]);
}

#[test]
fn a_message_shows_the_users_line() {
    let folder = Folder::new("place");
    folder.write("place.c", "#include <stddef.h>\n\nint main(void) {\n    return 1 +* ;\n}\n");
    let ran = craig(&["cfa", "place.c"], &folder.0);
    assert_refused_with(&ran, &["place.c:4:"]);
    assert!(ran.stderr.contains("4 |     return 1 +* ;"), "{}", ran.stderr);
    assert!(ran.stderr.contains('^'), "{}", ran.stderr);
}

#[test]
fn wrong_usage() {
    let folder = Folder::new("usage");
    folder.write("fine.c", "int main(void) { return 0; }\n");
    for args in [
        &["--no-such-option"][..],
        &["frobnicate"],
        &["frobnicate", "fine.c"],
        &["cfa"],
        &["cfa", "fine.c", "--no-such-option"],
        &["cfa", "fine.c", "--32", "--64"],
        &["cfa", "fine.c", "--externs", "maybe"],
        &["cfa", "fine.c", "fine.c"],
        &["cfa", "fine.c", "-q", "-v"],
        &["cfa", "fine.c", "--blocks", "huge"],
        &["run", "fine.c", "--values", "one"],
        &["run", "fine.c", "--values", "1,,2"],
        &["run", "fine.c", "--steps", "-1"],
        &["run", "fine.c", "--seed", "x"],
        &["cfa", "fine.c", "--text", "--dot"],
        &["cfa", "fine.c", "--prune", "maybe"],
        &["bench", "--frontend"],
        &["bench", "--frontend", "missing.tsv"],
        &["bench", "--frontend", "fine.c"],
    ] {
        assert_refused(&craig(args, &folder.0));
    }
    let ran = craig(&[], &folder.0);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("Usage: craig"), "{}", ran.stderr);
}

#[test]
fn wrong_properties() {
    let folder = Folder::new("property");
    folder.write("fine.c", "int main(void) { return 0; }\n");
    folder.write("memory.prp", "CHECK( init(main()), LTL(G valid-deref) )\n");
    folder.write("garbage.prp", [0u8, 255, 1, 2, 3]);
    folder.write("empty.prp", "");
    let check = |property: &str, words: &[&str]| {
        let ran = craig(&["cfa", "fine.c", "--property", property], &folder.0);
        assert_refused_with(&ran, words);
    };
    check("memory.prp", &["valid-deref"]);
    check("garbage.prp", &["garbage.prp"]);
    check("empty.prp", &["no property"]);
    check("missing.prp", &["missing.prp"]);
    check("nonsense", &["unreach-call"]);
    check(".", &["property"]);
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new("help");
    for args in
        [&["--help"][..], &["-h"], &["help"], &["cfa", "--help"], &["run", "--help"], &["bench", "--help"]]
    {
        let ran = craig(args, &folder.0);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Usage: craig") && ran.stderr.is_empty(), "{ran:?}");
    }
    let ran = craig(&["--version"], &folder.0);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), concat!("craig ", env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_drama() {
    let folder = Folder::new("pipe");
    let body: String = (0..20_000).map(|n| format!("x += {n};")).collect();
    folder.write("long.c", main_with(&body));
    // `head` closes the pipe while there is more to come.
    let script = format!("{} cfa long.c | head -n 1", env!("CARGO_BIN_EXE_craig"));
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
}
