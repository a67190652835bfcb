//! Figures over sets of tasks: `MEMORY_SETS=a.tsv:b.tsv cargo test --release -p craig-encode --test memory_sets -- --ignored --nocapture`.
//! A set has one task a line: path below the folder above the set's own, verdict, data model; two more columns may stand in front.

#![allow(clippy::print_stdout)]

use craig_base::Budget;
use craig_cfa::DataModel;
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_encode::memory::{AddressMap, Layout, Seen};
use craig_frontend::{Reading, load};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn tasks(set: &Path) -> Vec<(PathBuf, DataModel)> {
    let root = set.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(set).unwrap();
    let mut tasks = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let Some(path) = columns.iter().find(|c| c.contains('/')) else { continue };
        let model = if columns.contains(&"LP64") { DataModel::Lp64 } else { DataModel::Ilp32 };
        tasks.push((root.join(path), model));
    }
    tasks
}

#[test]
#[ignore = "needs sets of tasks"]
fn figures() {
    let sets = std::env::var("MEMORY_SETS").unwrap_or_default();
    let filter = std::env::var("MEMORY_FILTER").unwrap_or_default();
    for set in sets.split(':').filter(|s| !s.is_empty()) {
        let (mut scalars, mut arrays, mut bytess, mut count, mut unread) = (0, 0, 0, 0, 0);
        let (mut exact, mut guarded, mut to_array, mut to_bytes, mut nowhere) = (0, 0, 0, 0, 0);
        let (mut time, mut worst) = (0.0f64, (0.0f64, String::new(), 0usize));
        for (path, model) in tasks(Path::new(set)) {
            if !path.to_string_lossy().contains(&filter) {
                continue;
            }
            let reading = Reading { model, ..Reading::default() };
            let Ok(loaded) = load(&path, &reading, &Budget::unlimited()) else {
                unread += 1;
                continue;
            };
            let program = prepare(&loaded.program, &PrepareOptions::default(), &Budget::unlimited())
                .expect("no limit")
                .program;
            let start = Instant::now();
            let memory = Layout::new(&program, &Seen::default(), &AddressMap::new(), &Budget::unlimited())
                .expect("no limit");
            let seconds = start.elapsed().as_secs_f64();
            let ops = program.ops().count();
            let (s, a, o) = memory.counts();
            if !filter.is_empty() || seconds > 0.5 {
                println!("{} ops {ops} time {seconds:.3} scalars {s} arrays {a} bytes {o}", path.display());
            }
            if !filter.is_empty() && std::env::var("MEMORY_SHOW").is_ok() {
                println!("{memory}");
            }
            for place in (0..program.exprs.place_count()).map(craig_cfa::PlaceId::from_usize) {
                let access = memory.access(place);
                let has = |f: &dyn Fn(craig_encode::memory::CellKind) -> bool| {
                    access.candidates.iter().any(|c| f(memory.cells()[c.cell].kind))
                };
                use craig_encode::memory::CellKind as K;
                match access.candidates.len() {
                    0 if memory.is_accessed(place) => nowhere += 1,
                    0 => {}
                    _ if has(&|k| k == K::Bytes) => to_bytes += 1,
                    _ if has(&|k| k == K::Array) => to_array += 1,
                    1 => exact += 1,
                    _ => guarded += 1,
                }
            }
            count += 1;
            scalars += s;
            arrays += a;
            bytess += o;
            time += seconds;
            if seconds > worst.0 {
                worst = (seconds, path.display().to_string(), ops);
            }
        }
        println!(
            "{set}: {count} programs ({unread} not read), cells: {scalars} scalar, {arrays} array, {bytess} bytes; \
             places: {exact} exact, {guarded} guarded scalars, {to_array} array, {to_bytes} bytes, {nowhere} without target; \
             {time:.2} s in all, longest {:.3} s on {} operations ({})",
            worst.0, worst.2, worst.1
        );
    }
}
