//! From a model of a path to the execution it names.

use crate::path::{Path, Paths};
use crate::workbench::Workbench;
use craig_cfa::interp::Value as Concrete;
use craig_cfa::pass::Site;
use craig_cfa::{BlockId, Op, Program, Type, TypeId};
use craig_encode::memory::Site as Place;
use craig_encode::{Encoder, Taken};
use craig_logic::{Evaluator, Model, TermId, Value};
use craig_verdict::certificate::{Object, Placed};
use craig_verdict::{Counterexample, Passage, Pick, Reason, Touch};
use dashu::rational::RBig;

/// The execution along a path of blocks that a model of its formulas names.
pub fn of_path(encoder: &Encoder<'_>, path: &Path, model: &Model) -> Result<Counterexample, Reason> {
    let terms = &encoder.terms;
    let mut values = Evaluator::new(terms, model);
    let mut steps = Vec::new();
    for ((_, formula), part) in path.blocks.iter().zip(&path.parts) {
        let mut value = |term| values.eval(part.instance(terms, term));
        let mut through = through_block(encoder.program, &formula.edges, formula.exit, &mut value)?;
        through.reverse();
        steps.append(&mut through);
    }
    let places = places(encoder, &mut values);
    Ok(Counterexample { arith: encoder.options.arith, places, steps })
}

/// The execution along blocks from the entry to the error; `None` if there is none.
pub fn along(bench: &mut Workbench<'_>, blocks: Vec<BlockId>) -> Result<Option<Counterexample>, Reason> {
    let blocks = bench.formulas(blocks)?;
    let mut paths = Paths::new(bench);
    let path = paths.path(&blocks, &[]);
    let mut session = bench.smt.session();
    path.parts.iter().for_each(|part| session.assert(part.formula));
    match session.check().decided()? {
        true => of_path(&bench.encoder, &path, &session.require_model()?).map(Some),
        false => Ok(None),
    }
}

/// Where the objects lie whose address nobody knows.
pub fn places(encoder: &Encoder<'_>, values: &mut Evaluator<'_>) -> Vec<Placed> {
    let sites = encoder.layout.sites().iter().zip(encoder.sites());
    let place = |(site, term): (&Place, &TermId)| {
        Some(Placed { object: site.key.clone().map(Object), address: address_of(&values.eval(*term))? })
    };
    sites.filter_map(place).collect()
}

/// The steps through one encoded block, last first. `value` is the value of a term of the block in the model.
///
/// Fails if the path needs an operation that is not modelled.
pub fn through_block(
    program: &Program,
    edges: &[Taken],
    exit: u32,
    value: &mut dyn FnMut(TermId) -> Value,
) -> Result<Vec<Passage>, Reason> {
    let mut steps = Vec::new();
    for taken in way_through(edges, exit, value)? {
        if let Some(what) = &taken.unsupported {
            let edge = &program.edges[taken.edge];
            if let Op::Deeper(_) = edge.op {
                let deeper = vec![Site::of_edge(program, edge).string()];
                return Err(Reason::Recursion { procedure: what.clone(), deeper });
            }
            let span = edge.span;
            return Err(Reason::Unsupported { what: what.clone(), span });
        }
        steps.push(passage(program, taken, value));
    }
    Ok(steps)
}

/// The edges of an encoded block that a model takes, last first.
pub fn way_through<'a>(
    edges: &'a [Taken],
    exit: u32,
    value: &mut dyn FnMut(TermId) -> Value,
) -> Result<Vec<&'a Taken>, Reason> {
    let mut way = Vec::new();
    let mut node = exit;
    // By where they lead to, those to the same node in their order: blocks may have many edges.
    let mut into: Vec<&Taken> = edges.iter().collect();
    into.sort_by_key(|e| e.to);
    while node != 0 {
        let first = into.partition_point(|e| e.to < node);
        let mut here = into[first..].iter().take_while(|e| e.to == node);
        let Some(taken) = here.find(|e| value(e.taken) == Value::Bool(true)) else {
            return Err(Reason::Internal("the model names no path through a block".into()));
        };
        way.push(*taken);
        node = taken.from;
    }
    Ok(way)
}

fn passage(program: &Program, taken: &Taken, value: &mut dyn FnMut(TermId) -> Value) -> Passage {
    let picks = taken.chosen.iter().map(|chosen| {
        let value = match value_of(&value(chosen.symbol), program, chosen.ty) {
            Concrete::Bits(bits) if chosen.memory => {
                let size = program.types.size_of(chosen.ty).unwrap_or(8).min(16);
                Concrete::bytes_of_word(bits, size as usize)
            }
            value => value,
        };
        Pick { offset: chosen.offset, bit: chosen.bit, value }
    });
    let picks = picks.collect();
    let held_at = |value: &mut dyn FnMut(TermId) -> Value, at, ty, found| {
        let Concrete::Bits(bits) = value_of(&value(found), program, ty) else { return None };
        let size = program.types.size_of(ty)?.min(16) as usize;
        Some((address_of(&value(at))?, bits.to_le_bytes()[..size].to_vec()))
    };
    let reads =
        taken.reads.iter().filter_map(|read| held_at(value, read.address, read.ty, read.value)).collect();
    let opened = taken.opened.iter().filter_map(|base| address_of(&value(*base))).collect();
    let outside = taken.outside.iter().filter_map(|access| {
        if value(access.here) != Value::Bool(true) {
            return None;
        }
        let held = access.read.and_then(|(at, ty, found)| held_at(value, at, ty, found));
        Some(Touch { address: address_of(&value(access.base))?, size: access.size, held })
    });
    let outside = outside.collect();
    Passage { edge: program.edges[taken.edge].origin, picks, outside, reads, opened }
}

fn address_of(value: &Value) -> Option<u64> {
    match value {
        Value::Num(n) => u64::try_from(n.floor().numerator()).ok(),
        Value::Bv(_, bits) => u64::try_from(bits).ok(),
        _ => None,
    }
}

/// The value of a term as the interpreter knows it.
fn value_of(value: &Value, program: &Program, ty: TypeId) -> Concrete {
    match (value, program.types.get(ty)) {
        (Value::Bool(b), _) => Concrete::Bits(u128::from(*b)),
        (Value::Num(n), Type::MathInt) => Concrete::Int(n.floor().numerator()),
        (Value::Num(n), Type::MathReal) => {
            Concrete::Real(Box::new(RBig::from_parts(n.numerator(), n.denominator())))
        }
        (Value::Num(n), _) => {
            let bits = craig_logic::bits::wrap(n.floor().numerator(), 128);
            let bits = u128::try_from(&bits).unwrap_or(0);
            Concrete::Bits(match program.types.as_word(ty) {
                Some(word) => craig_cfa::arith::truncate(bits, word),
                None => bits,
            })
        }
        (Value::Bv(_, bits), _) => Concrete::Bits(u128::try_from(bits).unwrap_or(0)),
        (Value::Array(_), _) => Concrete::Bits(0),
    }
}
