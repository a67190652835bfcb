//! Certificates made by hand for small programs, and what the checker says of them.

#![allow(dead_code, reason = "each test uses a part of it")]

use craig_base::Budget;
use craig_cfa::{EdgeId, LocId, Op, ProcId, Program, graph};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_frontend::{Reading, boogie, c};
use craig_report::reason;
use craig_verdict::certificate::{Binding, Certificate, Invariant, Invariants, Object, Proof};
use craig_verdict::{Checked, Reason, check};

pub const HEAD: &str =
    "int __VERIFIER_nondet_int(void); void reach_error(void); void *malloc(unsigned long);\n";

/// A C program without its head; its first line is line 2.
pub fn c(body: &str) -> Program {
    let loaded = c::load_text("test.c", &format!("{HEAD}{body}"), &Reading::default(), &Budget::unlimited());
    loaded.expect("a program").program
}

pub fn boogie(text: &str) -> Program {
    let loaded = boogie::load_text("test.bpl", text, &Reading::default(), &Budget::unlimited());
    loaded.expect("a program").program
}

/// The calls that lead to a procedure that is called once.
fn calls(program: &Program, proc: ProcId) -> Vec<EdgeId> {
    let calls_it = |op: &Op| matches!(op, Op::Call(call) if call.proc == proc);
    let Some((id, edge)) = program.edges.iter_enumerated().find(|(_, e)| calls_it(&e.op)) else {
        return Vec::new();
    };
    let mut path = calls(program, program.locs[edge.from].proc);
    path.push(id);
    path
}

/// A variable by its name.
pub fn object(program: &Program, name: &str) -> Object {
    let found = program.vars.iter_enumerated().find(|(_, var)| &*var.name == name);
    let (id, var) = found.expect("a variable of this name");
    Object(ObjectKey::Var(id, var.proc.map(|p| calls(program, p)).unwrap_or_default()))
}

/// A symbol for a variable, named like it.
pub fn value(program: &Program, name: &str) -> Binding {
    let Object(ObjectKey::Var(id, _)) = object(program, name) else { unreachable!("it is a variable") };
    let word = Binding::word_of(&program.types, program.vars[id].ty);
    let leaves = vec![(object(program, name), 0)];
    Binding { symbol: name.into(), sort: String::new(), leaves, array: false, address: false, word }
}

/// An invariant for the loop head of a line.
pub fn at(program: &Program, line: u32, formula: &str) -> Invariant {
    let heads = graph::order(program, &program.graph()).loop_head;
    let here = |loc: &LocId| heads[*loc] && program.source.line(program.locs[*loc].span) == line;
    let loc = program.locs.indices().find(here).expect("a loop head in this line");
    Invariant::new(loc, &calls(program, program.locs[loc].proc), line, formula.into())
}

/// Formulas by line over variables by name.
pub fn proof(program: &Program, variables: &[&str], formulas: &[(u32, &str)]) -> Invariants {
    Invariants {
        symbols: variables.iter().map(|name| value(program, name)).collect(),
        invariants: formulas.iter().map(|(line, formula)| at(program, *line, formula)).collect(),
        ..Invariants::default()
    }
}

/// The sorts of symbols that have none yet: what the arithmetic makes of machine integers.
pub fn with_sorts(program: &Program, arith: Arith, mut proof: Invariants) -> Invariants {
    let bits = |width: u32| match arith {
        Arith::Int => "Int".to_string(),
        Arith::Bv => format!("(_ BitVec {width})"),
    };
    let address = bits(u32::from(program.types.model.pointer_bits()));
    for binding in proof.symbols.iter_mut().filter(|b| b.sort.is_empty()) {
        let value = match binding.word {
            Some(word) => bits(word.unsigned_abs()),
            None if binding.leaves.is_empty() => address.clone(),
            None => "Int".into(),
        };
        binding.sort = if binding.array { format!("(Array {address} {value})") } else { value };
    }
    proof
}

pub fn checked(program: &Program, arith: Arith, proof: Invariants) -> Result<Checked, Reason> {
    let proof = with_sorts(program, arith, proof);
    let certificate = Certificate::new(arith, Proof::Invariants(proof));
    check(program, &certificate, false, &Budget::unlimited())
}

/// What the checker says, in words.
pub fn said(program: &Program, arith: Arith, proof: Invariants) -> String {
    words(checked(program, arith, proof))
}

pub fn words(result: Result<Checked, Reason>) -> String {
    match result {
        Ok(_) => "accepted".into(),
        Err(why) => reason::words(&why),
    }
}
