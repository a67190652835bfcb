//! From a program that shows a mistake to a small one that still does: one statement, alternative or rule after the other is left out, and calls and
//! blocks are put in place of what they stand in.

use super::tree::{Alternatives, Code, Expr, Module, Program, Stmt};

/// The smallest program found that still `fails`, with so many tries at most.
pub fn shrink(program: &Program, mut tries: usize, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    'again: loop {
        for n in 0.. {
            let Some(candidate) = smaller(&best, n) else { return best };
            if tries == 0 {
                return best;
            }
            tries -= 1;
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
    }
}

/// The n-th way to make a program smaller.
fn smaller(program: &Program, n: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut change = Change { left: n, done: false };
    match &mut program.code {
        Code::Rules { rules, .. } => {
            for i in (0..rules.len()).rev() {
                if change.here() {
                    rules.remove(i);
                    break;
                }
                if rules[i].condition.is_some() && change.here() {
                    rules[i].condition = None;
                    break;
                }
            }
        }
        Code::Modules(modules) => {
            for module in modules.iter_mut() {
                change.module(module);
            }
        }
    }
    change.done.then_some(program)
}

/// Counts down to the change that is made.
struct Change {
    left: usize,
    done: bool,
}

impl Change {
    fn here(&mut self) -> bool {
        if self.done || self.left > 0 {
            self.left = self.left.saturating_sub(1);
            return false;
        }
        self.done = true;
        true
    }

    fn module(&mut self, module: &mut Module) {
        // All at once first: what a module does seldom matters.
        if module.body.len() > 1 && self.here() {
            let keep = usize::from(module.result.is_some());
            module.body.drain(..module.body.len() - keep);
            return;
        }
        if !module.locals.is_empty() && self.here() {
            module.locals.pop();
            return;
        }
        self.block(&mut module.body);
    }

    fn block(&mut self, block: &mut Vec<Stmt>) {
        for i in (0..block.len()).rev() {
            if self.done {
                return;
            }
            if self.here() {
                block.remove(i);
                return;
            }
            match &mut block[i] {
                Stmt::If(alternatives) | Stmt::Do(alternatives) => {
                    let parts = alternatives.guarded.iter().map(|(_, block)| block);
                    let parts: Vec<Vec<Stmt>> = parts.chain(&alternatives.otherwise).cloned().collect();
                    for part in parts {
                        if self.here() {
                            block.splice(i..=i, part);
                            return;
                        }
                    }
                    if let Stmt::If(alternatives) | Stmt::Do(alternatives) = &mut block[i] {
                        self.alternatives(alternatives);
                    }
                }
                Stmt::Assign(assigns) if assigns.len() > 1 => {
                    for at in 0..assigns.len() {
                        if self.here() {
                            assigns.remove(at);
                            return;
                        }
                    }
                }
                Stmt::Call { along, result, .. } => {
                    if !along.is_empty() && self.here() {
                        along.clear();
                    } else if result.is_some() && self.here() {
                        *result = None;
                    }
                }
                Stmt::Ruled(_, rules) => {
                    for at in 0..rules.len() {
                        if self.here() {
                            rules.remove(at);
                            return;
                        }
                        if rules[at].condition.is_some() && self.here() {
                            rules[at].condition = None;
                            return;
                        }
                    }
                }
                Stmt::Skip(condition) if condition.is_some() && self.here() => *condition = None,
                _ => {}
            }
        }
    }

    fn alternatives(&mut self, alternatives: &mut Alternatives) {
        if alternatives.otherwise.is_some() && self.here() {
            alternatives.otherwise = None;
            return;
        }
        for at in 0..alternatives.guarded.len() {
            if alternatives.guarded.len() > 1 && self.here() {
                alternatives.guarded.remove(at);
                return;
            }
            let (guard, block) = &mut alternatives.guarded[at];
            if *guard != Expr::Truth(true) && self.here() {
                *guard = Expr::Truth(true);
                return;
            }
            self.block(block);
        }
        if let Some(block) = &mut alternatives.otherwise {
            self.block(block);
        }
    }
}
