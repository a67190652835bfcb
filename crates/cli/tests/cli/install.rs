//! `scripts/install`: the program and its library find each other wherever they are put.

use crate::support::{Folder, root};
use std::path::Path;
use std::process::{Command, Output};

fn install(binary: &Path, prefix: Option<&Path>) -> Output {
    let mut script = Command::new(root().join("scripts/install"));
    script.args(prefix).env("CRAIG_BINARY", binary).output().expect("the script runs")
}

fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_craig"))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_installed_copy_works_from_elsewhere() {
    let folder = Folder::new("install");
    // Two levels down, so that no place where the binary looks for its library lies outside of this test's folder.
    let prefix = folder.0.join("a place/prefix");
    // Twice: the second time it replaces what is there.
    for _ in 0..2 {
        let done = install(built(), Some(&prefix));
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
        assert!(said.contains("prefix/bin/craig\n") && said.contains("prefix/lib/libz3.so"), "{said}");
    }
    assert_eq!(names(&prefix.join("bin")), ["craig"]);
    assert!(
        names(&prefix.join("lib")).iter().all(|name| name.starts_with("libz3.so") && !name.contains("new"))
    );

    let copy = || {
        let mut command = Command::new(prefix.join("bin/craig"));
        command.env_remove("LD_LIBRARY_PATH").current_dir(&folder.0);
        command
    };
    // The dynamic loader lists the libraries it finds and does not start the program.
    let listed = copy().env("LD_TRACE_LOADED_OBJECTS", "1").output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let library = listed.lines().find(|line| line.trim().starts_with("libz3")).expect("the solver's library");
    let path = library.split_once(" => ").and_then(|(_, path)| path.rsplit_once(" (")).expect("its path").0;
    let expected = prefix.join("lib").canonicalize().unwrap();
    assert_eq!(Path::new(path).canonicalize().unwrap().parent(), Some(&*expected), "{library}");

    folder.write(
        "loop.c",
        "void reach_error(void);\nint main(void) { int i = 0; while (i < 3) i++; if (i != 3) reach_error(); }\n",
    );
    let ran = copy().args(["check", "-q", "loop.c"]).output().unwrap();
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), &b"SAFE\n"[..]), "{ran:?}");
}

#[test]
fn what_cannot_be_installed_is_refused() {
    let folder = Folder::new("install-refused");
    folder.write("file", "");
    let refused = |binary: &Path, prefix: Option<&Path>, why: &str| {
        let done = install(binary, prefix);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        assert!(said.starts_with("install: ") && said.contains(why), "{said}");
    };
    refused(built(), None, "PREFIX");
    refused(built(), Some(Path::new("--nonsense")), "PREFIX");
    refused(built(), Some(&folder.0.join("file/prefix")), "cannot be made");
    refused(&folder.0.join("nowhere"), Some(&folder.0.join("prefix")), "no program");
    assert_eq!(names(&folder.0), ["file"]);
}
