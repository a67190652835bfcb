//! Programs that check themselves: under the interpreter, in both data models, and compiled by gcc, each must end with status 0.

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Overflow, RunEnd, Zero};
use craig_cfa::{DataModel, verify};
use craig_frontend::{Reading, load};
use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5);
    files
}

#[test]
fn under_the_interpreter() {
    for path in programs() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let reading = Reading { model, ..Reading::default() };
            let program = match load(&path, &reading, &Budget::unlimited()) {
                Ok(loaded) => loaded.program,
                Err(e) => panic!("{}: {e:?}", path.display()),
            };
            verify::verify(&program).unwrap_or_else(|v| panic!("{} {model:?}: {v:#?}", path.display()));
            for overflow in [Overflow::Undefined, Overflow::Wrap] {
                let config = Config { overflow, ..Config::default() };
                let run = interp::run(&program, &config, &mut Zero, &mut Vec::new());
                let place = run.at.map(|at| program.source.position(at.span).to_string());
                assert_eq!(
                    run.end,
                    RunEnd::Ended { status: Some(0) },
                    "{model:?} {} at {place:?}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn compiled_by_gcc() {
    let dir = tempfile::tempdir().unwrap();
    for path in programs() {
        let binary = dir.path().join("program");
        let status = Command::new("gcc").args(["-w", "-O0", "-o"]).arg(&binary).arg(&path).status().unwrap();
        assert!(status.success(), "{}", path.display());
        let run = Command::new(&binary).output().unwrap();
        assert!(run.status.success(), "{}: {:?}", path.display(), run.status);
    }
}
