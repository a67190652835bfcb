//! Sets of random programs, as SLICE measured them (section 6): see [`craig_testgen::integers`].

use craig_testgen::integers::{Lang, generate};
use std::fmt::Write as _;
use std::path::Path;

/// The set of the Boogie programs, and that of the same programs in C.
pub const SETS: [(&str, Lang); 2] = [("random.tsv", Lang::Boogie), ("random-c.tsv", Lang::C)];

/// Writes the programs of `count` seeds and their sets into a folder, which is made if it is not there. No verdict is on record for
/// them. The message names the file that could not be written.
pub fn write(folder: &Path, first: u64, count: u64) -> Result<(), String> {
    let fail = |file: &Path, e: std::io::Error| format!("cannot write {}: {e}", file.display());
    std::fs::create_dir_all(folder).map_err(|e| fail(folder, e))?;
    // Sets name their tasks from the folder above.
    let folder = folder.canonicalize().map_err(|e| fail(folder, e))?;
    let name = folder.file_name().map_or_else(String::new, |n| format!("{}/", n.to_string_lossy()));
    let save = |file: &str, text: &str| {
        let file = folder.join(file);
        std::fs::write(&file, text).map_err(|e| fail(&file, e))
    };
    let mut sets = SETS.map(|_| String::new());
    for seed in first..first.saturating_add(count) {
        let program = generate(seed);
        for ((_, lang), set) in SETS.iter().zip(&mut sets) {
            let (ending, model) = match lang {
                Lang::Boogie => ("bpl", "-"),
                Lang::C => ("c", "LP64"),
            };
            let file = format!("random-{seed:03}.{ending}");
            save(&file, &program.text(*lang))?;
            let _ = writeln!(set, "{name}{file}\tUNKNOWN\t{model}");
        }
    }
    SETS.iter().zip(&sets).try_for_each(|((file, _), text)| save(file, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Expected, Set};

    #[test]
    fn the_sets_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/b");
        write(&folder, 7, 3).unwrap();
        for (file, lang) in SETS {
            let set = Set::read(&folder.join(file)).unwrap();
            assert_eq!((set.tasks.len(), set.tasks[0].expected), (3, Expected::Unknown));
            for (task, seed) in set.tasks.iter().zip(7..) {
                let text = std::fs::read_to_string(&task.path).unwrap();
                assert_eq!(text, generate(seed).text(lang));
            }
        }
        let message = write(&folder.join("random.tsv/c"), 1, 1).unwrap_err();
        assert!(message.contains("random.tsv"), "{message}");
    }
}
