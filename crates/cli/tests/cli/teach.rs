//! What the program says of itself: `explain`, completions, manual pages, the page of `--report`.

use crate::support::{Folder, craig};

#[test]
fn topics() {
    let folder = Folder::new("explain");
    let list = craig(&["explain"], &folder.0);
    assert_eq!(list.code, Some(0), "{list:?}");
    assert!(list.stdout.contains("Why an answer is UNKNOWN:\n"), "{list:?}");
    let one = craig(&["explain", "not replayed"], &folder.0);
    assert_eq!(one.code, Some(0), "{one:?}");
    assert!(one.stdout.starts_with("not-replayed: "), "{one:?}");
    assert!(one.stdout.lines().all(|line| line.chars().count() <= 100), "{one:?}");
    let none = craig(&["explain", "nothing"], &folder.0);
    assert_eq!(none.code, Some(3), "{none:?}");
    assert!(none.stderr.contains("`nothing`"), "{none:?}");
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new("shell");
    for (shell, part) in [("bash", "_craig()"), ("zsh", "#compdef craig"), ("fish", "complete -c craig")] {
        let ran = craig(&["completions", shell], &folder.0);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains(part) && ran.stdout.contains("check-witness"), "{shell}");
    }
    let ran = craig(&["man", "pages"], &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = std::fs::read_to_string(folder.0.join("pages/craig-check.1")).expect("a page for `check`");
    assert!(page.contains(".TH") && page.contains("engine"), "{page}");
}

#[test]
fn pages_for_the_browser() {
    let folder = Folder::new("report");
    let program =
        "void reach_error(void); int main(void) { int x = 3;\n if (x == 3) reach_error(); return 0; }\n";
    folder.write("one.c", program);
    let ran = craig(&["check", "one.c", "--report", "pages"], &folder.0);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let page = std::fs::read_to_string(folder.0.join("pages/one.c.html")).expect("a page");
    assert!(page.contains("<title>UNSAFE: one.c</title>"), "{page}");
    folder.write("file", "");
    let ran = craig(&["check", "one.c", "--report", "file"], &folder.0);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("the page cannot be written to file"), "{ran:?}");
}
