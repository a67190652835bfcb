//! From the text of a program to what engines work with.

#![allow(dead_code, reason = "each test uses a part of it")]

use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::pass::PrepareOptions;
use craig_engine::Task;
use craig_frontend::{Reading, boogie, c};
use std::sync::Arc;

pub const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

/// Only calls are inlined: the program is the one that was written.
pub const AS_WRITTEN: PrepareOptions =
    PrepareOptions { prune: false, fold: false, cone: false, inline_limit: Some(1_000_000), unfolding: None };

pub fn boogie(text: &str) -> Arc<Program> {
    let loaded = boogie::load_text("test.bpl", text, &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.expect("a program").program)
}

/// A C program without its head; its first line is line 2.
pub fn c(body: &str) -> Arc<Program> {
    let loaded = c::load_text("test.c", &format!("{HEAD}{body}"), &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.expect("a program").program)
}

pub fn task(source: Arc<Program>, options: &PrepareOptions) -> Task {
    Task::new(source, false, options, &Budget::unlimited()).expect("no limit")
}
