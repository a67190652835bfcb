//! Craig interpolation of sequences and trees of formulas.
//!
//! A problem is a tree of formulas that are unsatisfiable together ([`tree`]); a sequence ([`sequence`]) is a tree
//! that is a chain. The answer has a formula per node such that a node's formula and its children's interpolants imply
//! its own, the root's is `false`, and each uses only symbols that occur both inside and outside its subtree.
//!
//! First one refutation of the whole is looked for, off which the interpolants of all cuts are read ([`proof`]); what is known takes their place where it does as well ([`candidates`]).
//!
//! If there is none, the cuts are computed from the leaves to the root with the interpolants found so far in place of their subtrees, so
//! the answer is inductive by construction. Per cut, the first that answers wins:
//!
//! 1. nothing to do: parts that the unsatisfiable core does not need carry the interpolant on;
//! 2. candidates: the interpolant before, renamed (when the caller says how), and what the caller knows at this place.
//!    A valid repetition is an inductive invariant found at once, and keeps sequences from drifting (`x >= 1`,
//!    `x >= 2`, ..). The interpolant before as it is never fitted on 2,000 random sequences: the core carries it on;
//! 3. the methods in the order of the options (spacer answers for all cuts at once when it can): [`farkas`], [`spacer`],
//!    [`eliminate`] (strongest, weakest). In linear problems a cut that [`farkas`] gives up is eliminated first if that
//!    is little work, and once spacer has failed on the whole problem it gets single cuts only when all else failed:
//!    both matter for the few hard sequences in which most of the time goes.
//!
//! The linear layer keeps the one weighted sum by default and splits it into parts only for [`Strength::Strong`], because the split of `s = 0, i = 0` into its parts loses
//! `s = 2 * i`. `weakest` is taken per cut from all that follows, so that it fits a tree. Arrays and functions are
//! opaque to the linear layer: what needs their axioms goes to the next layers.
//!
//! | module | holds |
//! |---|---|
//! | [`proof`], [`words`] | all cuts from one refutation; bit-vectors as integers for it |
//! | [`farkas`], [`cube`], [`separate`], [`simplex`] | the layer for linear arithmetic |
//! | [`spacer`] | Z3's Horn-clause engine |
//! | [`eliminate`] | strongest and weakest by projection |
//! | [`candidates`] | what is tried before |
//! | [`check`] | the four conditions |
//! | [`vocabulary`], [`prover`], [`tidy`] | shared symbols, solver calls, readable results |

mod candidates;
pub mod check;
mod cube;
mod eliminate;
mod farkas;
mod proof;
mod prover;
mod separate;
mod simplex;
mod spacer;
pub mod tidy;
mod vocabulary;
mod words;

use crate::calls::Purpose;
use crate::session::{Smt, Status, Undecided};
use candidates::{fitting, known, simpler};
use check::Violation;
use craig_logic::{Sort, TermId, Terms};
use prover::Prover;
use rustc_hash::FxHashMap;
use separate::Cut;
use simplex::Effort;
use std::fmt;
use vocabulary::Vocabulary;

/// Units of work for a call of a method, unless the options say otherwise: about five seconds. Measured on random sequences that take
/// longer than 0.2 s, in million units a second: spacer 6 to 11 on linear arithmetic, 4 to 11 on arrays, 0.9 to 3 on bit-vectors;
/// elimination with what we do around the solver 0.8 to 1.7.
pub const METHOD_LIMIT: u64 = 50_000_000;

/// Entries of tableaus for a cut, unless the options say otherwise: some seconds. Hardly any program takes a hundredth of it.
const LINEAR_LIMIT: u64 = 100_000_000;

/// How much longer a unit takes in elimination, and in spacer on bit-vectors: these get so many times less.
const DEAR: u64 = 8;

/// A way to compute an interpolant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    Proof,
    Farkas,
    Spacer,
    Strongest,
    Weakest,
}

impl Method {
    /// All, in the order in which they are tried.
    pub const ALL: [Method; 5] =
        [Method::Proof, Method::Farkas, Method::Spacer, Method::Strongest, Method::Weakest];

    pub fn name(self) -> &'static str {
        match self {
            Method::Proof => "proof",
            Method::Farkas => "farkas",
            Method::Spacer => "spacer",
            Method::Strongest => "strongest",
            Method::Weakest => "weakest",
        }
    }
}

/// Where between the two sides a fact of the linear layer lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strength {
    /// As close to the left side as possible, with the parts of a fact kept apart.
    Strong,
    /// One fact, as the left side gives it.
    #[default]
    Simple,
    /// As close to the right side as possible.
    Weak,
}

/// How to interpolate.
#[derive(Debug, Clone)]
pub struct Options {
    /// Tried in this order for each cut.
    pub methods: Vec<Method>,
    pub strength: Strength,
    /// Try candidates before computing.
    pub candidates: bool,
    /// Units of work for each call of a method other than the linear one; they get a shorter turn before that. It is meant for spacer on
    /// arithmetic: where a unit takes longer, the limit is less.
    pub method_limit: u64,
    /// Entries of tableaus that the linear method may compute for a cut.
    pub linear_limit: u64,
    /// Refute bit-vectors as integers, too. What that says of loops counts on (`i <= 1`, `i <= 2`, ..), where spacer finds the bound, so engines do not ask for it.
    pub words: bool,
    /// The formulas are known to be unsatisfiable together: that is not asked again, and all count as needed.
    pub refuted: bool,
    /// Check the four conditions of the result. Debug builds always do.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            methods: Method::ALL.to_vec(),
            strength: Strength::Simple,
            candidates: true,
            method_limit: METHOD_LIMIT,
            linear_limit: LINEAR_LIMIT,
            words: false,
            refuted: false,
            verify: cfg!(debug_assertions),
        }
    }
}

impl Options {
    /// Only these methods, no candidates.
    pub fn only(methods: &[Method]) -> Options {
        Options { methods: methods.to_vec(), candidates: false, ..Options::default() }
    }
}

/// Formulas in a tree. A child comes before its parent; the last formula is the root.
#[derive(Debug, Clone)]
pub struct Tree {
    pub formulas: Vec<TermId>,
    /// The parent of each node but the root.
    pub parents: Vec<usize>,
}

impl Tree {
    fn chain(parts: &[TermId]) -> Tree {
        Tree { formulas: parts.to_vec(), parents: (1..parts.len()).collect() }
    }

    pub fn root(&self) -> usize {
        self.formulas.len() - 1
    }

    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents.iter().enumerate().filter(move |(_, p)| **p == node).map(|(c, _)| c)
    }

    fn well_formed(&self) -> bool {
        !self.formulas.is_empty()
            && self.parents.len() + 1 == self.formulas.len()
            && self
                .parents
                .iter()
                .enumerate()
                .all(|(child, parent)| child < *parent && *parent <= self.root())
    }

    /// The vocabulary of each node's cut: what occurs inside and outside its subtree.
    fn vocabularies(&self, terms: &Terms) -> Vec<Vocabulary> {
        // Number of nodes in which a symbol occurs, in all and per subtree.
        let mut total: FxHashMap<craig_logic::SymbolId, usize> = FxHashMap::default();
        let mut total_functions: FxHashMap<craig_logic::FunId, usize> = FxHashMap::default();
        let mut inside: Vec<(FxHashMap<_, usize>, FxHashMap<_, usize>)> = Vec::new();
        for formula in &self.formulas {
            let own = Vocabulary::of(terms, &[*formula]);
            let mut counts = (FxHashMap::default(), FxHashMap::default());
            for symbol in own.symbols {
                *total.entry(symbol).or_default() += 1;
                counts.0.insert(symbol, 1);
            }
            for function in own.functions {
                *total_functions.entry(function).or_default() += 1;
                counts.1.insert(function, 1);
            }
            inside.push(counts);
        }
        for child in 0..self.parents.len() {
            let (symbols, functions) = inside[child].clone();
            let parent = &mut inside[self.parents[child]];
            for (symbol, count) in symbols {
                *parent.0.entry(symbol).or_default() += count;
            }
            for (function, count) in functions {
                *parent.1.entry(function).or_default() += count;
            }
        }
        inside
            .into_iter()
            .map(|(symbols, functions)| {
                let mut vocabulary = Vocabulary::default();
                vocabulary.symbols =
                    symbols.into_iter().filter(|(s, n)| *n < total[s]).map(|(s, _)| s).collect();
                vocabulary.functions =
                    functions.into_iter().filter(|(f, n)| *n < total_functions[f]).map(|(f, _)| f).collect();
                vocabulary
            })
            .collect()
    }
}

/// What the caller knows about the cuts of a sequence or tree, for candidates. Empty where nothing is known.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// Per node, the symbols that stand for the program's variables at its cut, in the same order at every cut.
    pub states: Vec<Vec<TermId>>,
    /// Per node, formulas over the shared symbols of its cut that may be worth a try.
    pub candidates: Vec<Vec<TermId>>,
}

/// Where the interpolant of a cut came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// `true`, `false` or the one before, because the core does not need the part between.
    Core,
    Candidate,
    Computed(Method),
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpolants {
    /// One per cut: for a sequence of `n` parts `n - 1`, for a tree one per node but the root.
    pub formulas: Vec<TermId>,
    pub origins: Vec<Origin>,
}

impl Interpolants {
    /// The last method of the default order that some cut needed; `None` if none was computed.
    pub fn method(&self) -> Option<Method> {
        self.origins
            .iter()
            .filter_map(|s| match s {
                Origin::Computed(method) => Some(*method),
                _ => None,
            })
            .max()
    }
}

/// Why there are no interpolants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoInterpolant {
    /// The formulas are satisfiable together.
    Satisfiable,
    /// The solver did not decide that.
    Undecided(Undecided),
    /// No method answered at this cut; what each said.
    NoMethod { cut: usize, tried: Vec<(Method, String)> },
    /// A result did not satisfy the conditions: a bug of ours or of the solver.
    Invalid(Violation),
    /// The input is not a tree.
    Malformed,
}

impl fmt::Display for NoInterpolant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoInterpolant::Satisfiable => f.write_str("the formulas are satisfiable"),
            NoInterpolant::Undecided(reason) => write!(f, "unsatisfiability was not decided: {reason}"),
            NoInterpolant::NoMethod { cut, tried } => {
                write!(f, "no interpolant at cut {cut}:")?;
                tried.iter().try_for_each(|(method, words)| write!(f, " {method:?}: {words};"))
            }
            NoInterpolant::Invalid(violation) => write!(f, "{violation}"),
            NoInterpolant::Malformed => f.write_str("not a tree of formulas"),
        }
    }
}

impl std::error::Error for NoInterpolant {}

/// Interpolants of a sequence of parts: one per cut between neighbours.
pub fn sequence(
    smt: &Smt,
    parts: &[TermId],
    hints: &Hints,
    options: &Options,
) -> Result<Interpolants, NoInterpolant> {
    tree(smt, &Tree::chain(parts), hints, options)
}

/// Interpolants of a tree of formulas: one per node but the root.
pub fn tree(smt: &Smt, tree: &Tree, hints: &Hints, options: &Options) -> Result<Interpolants, NoInterpolant> {
    if !tree.well_formed() {
        return Err(NoInterpolant::Malformed);
    }
    smt.as_part_of(Purpose::Interpolation, || interpolate(smt, tree, hints, options))
}

fn interpolate(
    smt: &Smt,
    tree: &Tree,
    hints: &Hints,
    options: &Options,
) -> Result<Interpolants, NoInterpolant> {
    let shared = tree.vocabularies(smt.terms());
    let bits = bit_vectors(smt.terms(), &tree.formulas);
    let read_off = |formulas: Vec<TermId>| {
        let result = simpler(smt, tree, hints, options, &shared, formulas);
        if options.verify {
            verify(smt, tree, &shared, &result.formulas).map_err(NoInterpolant::Invalid)?;
        }
        Ok(result)
    };
    let refutation = |terms: &Terms| {
        let effort = Effort::new(options.linear_limit, smt);
        match bits {
            true => words::interpolate(terms, tree, options.strength, &effort),
            false => proof::interpolate(terms, tree, &shared, options.strength, &effort),
        }
    };
    let mut no_proof = bits.then_some("bit-vectors");
    if options.methods.contains(&Method::Proof) && (!bits || options.words) {
        match refutation(smt.terms()) {
            Ok(formulas) => return read_off(formulas),
            Err(why) => no_proof = Some(why),
        }
    }
    if options.methods == [Method::Proof]
        && let Some(why) = no_proof
    {
        return match smt.budget().check() {
            Ok(()) => Err(NoInterpolant::NoMethod { cut: 0, tried: vec![(Method::Proof, why.into())] }),
            Err(stop) => Err(NoInterpolant::Undecided(Undecided::Stopped(stop))),
        };
    }
    let mut prover = Prover::new(smt);
    let core = match options.refuted {
        true => tree.formulas.clone(),
        false => core(smt, &mut prover, &tree.formulas)?,
    };
    let needed = tree.formulas.iter().map(|f| core.contains(f)).collect();
    let run = Run {
        smt,
        tree,
        hints,
        options,
        shared: &shared,
        needed,
        prover,
        found: Vec::new(),
        linear: linear(smt.terms(), &tree.formulas),
        bit_vectors: bits,
        failures: 0,
        spacer: Spacer::Untried,
        no_proof,
    };
    let result = run.run()?;
    if options.verify {
        verify(smt, tree, &shared, &result.formulas).map_err(NoInterpolant::Invalid)?;
    }
    Ok(result)
}

/// Numbers and Booleans only, no functions.
fn linear(terms: &Terms, formulas: &[TermId]) -> bool {
    let plain = |s: Sort| matches!(s, Sort::Bool | Sort::Int | Sort::Real);
    terms.functions_of_all(formulas).is_empty()
        && terms.symbols_of_all(formulas).iter().all(|s| plain(terms.sort(terms.symbol_term(*s))))
}

fn bit_vectors(terms: &Terms, formulas: &[TermId]) -> bool {
    terms.postorder(formulas).into_iter().any(|t| matches!(terms.sort(t), Sort::BitVec(_)))
}

/// The formulas that make the whole unsatisfiable.
fn core(smt: &Smt, prover: &mut Prover, formulas: &[TermId]) -> Result<Vec<TermId>, NoInterpolant> {
    if let Some(found) = formulas.iter().find(|f| smt.terms().is_false(**f)) {
        return Ok(vec![*found]);
    }
    if prover.unsat(formulas, &[]) {
        return Ok(prover.core());
    }
    // Satisfiable, or too much work with names: then all parts count as needed.
    match smt.check(formulas) {
        Status::Unsat => Ok(formulas.to_vec()),
        Status::Sat => Err(NoInterpolant::Satisfiable),
        Status::Unknown(reason) => Err(NoInterpolant::Undecided(reason)),
    }
}

/// The four conditions for a sequence.
pub fn check_sequence(smt: &Smt, parts: &[TermId], interpolants: &[TermId]) -> Result<(), Violation> {
    let tree = Tree::chain(parts);
    verify(smt, &tree, &tree.vocabularies(smt.terms()), interpolants)
}

/// The conditions for a tree.
pub fn check_tree(smt: &Smt, tree: &Tree, interpolants: &[TermId]) -> Result<(), Violation> {
    verify(smt, tree, &tree.vocabularies(smt.terms()), interpolants)
}

fn verify(smt: &Smt, tree: &Tree, shared: &[Vocabulary], interpolants: &[TermId]) -> Result<(), Violation> {
    let mut all = interpolants.to_vec();
    all.push(smt.terms().fls());
    check::check(smt, tree, shared, &all)
}

/// Spacer answers for all cuts at once, and better so: before it gets a single cut it gets the whole problem.
fn whole(smt: &Smt, tree: &Tree, shared: &[Vocabulary], limit: u64) -> Result<Interpolants, String> {
    smt.limited(limit, || {
        let mut formulas = spacer::interpolate(smt, tree, shared)?;
        check::check(smt, tree, shared, &formulas).map_err(|violation| violation.to_string())?;
        formulas.pop();
        let origins = vec![Origin::Computed(Method::Spacer); formulas.len()];
        Ok(Interpolants { formulas, origins })
    })
}

/// What spacer made of the whole problem.
enum Spacer {
    Untried,
    Failed,
    Answered(Interpolants),
}

/// One interpolation under way.
struct Run<'a> {
    smt: &'a Smt,
    tree: &'a Tree,
    hints: &'a Hints,
    options: &'a Options,
    shared: &'a [Vocabulary],
    /// Whether the core needs the node.
    needed: Vec<bool>,
    prover: Prover,
    found: Vec<(TermId, Origin)>,
    /// Whether the problem is one of arithmetic and nothing else.
    linear: bool,
    bit_vectors: bool,
    /// Cuts that the linear layer gave up.
    failures: u32,
    spacer: Spacer,
    /// Why no refutation answered.
    no_proof: Option<&'static str>,
}

impl Run<'_> {
    fn run(mut self) -> Result<Interpolants, NoInterpolant> {
        for node in 0..self.tree.root() {
            let found = self.cut(node)?;
            if let Spacer::Answered(all) = self.spacer {
                return Ok(all);
            }
            self.found.push(found);
        }
        let (formulas, origins) = self.found.into_iter().unzip();
        Ok(Interpolants { formulas, origins })
    }

    /// Formulas inside the cut: the children's interpolants and the node's formula.
    fn left(&self, node: usize) -> Vec<TermId> {
        let mut left: Vec<TermId> = self.tree.children(node).map(|c| self.found[c].0).collect();
        if self.needed[node] {
            left.push(self.tree.formulas[node]);
        }
        left.retain(|f| !self.smt.terms().is_true(*f));
        left
    }

    /// Formulas outside the cut: interpolants of other finished subtrees, and formulas of what is not finished. The
    /// root comes first, so that from cut to cut the end changes.
    fn right(&self, node: usize) -> Vec<TermId> {
        let mut right = Vec::new();
        for other in (0..self.tree.formulas.len()).rev() {
            if other > node {
                if self.needed[other] {
                    right.push(self.tree.formulas[other]);
                }
            } else if other < node && self.tree.parents[other] > node {
                right.push(self.found[other].0);
            }
        }
        right.retain(|f| !self.smt.terms().is_true(*f));
        right
    }

    fn cut(&mut self, node: usize) -> Result<(TermId, Origin), NoInterpolant> {
        let terms = self.smt.terms().clone();
        let (left, right) = (self.left(node), self.right(node));
        if left.is_empty() {
            return Ok((terms.tru(), Origin::Core));
        }
        if right.is_empty() || left.iter().any(|f| terms.is_false(*f)) {
            return Ok((terms.fls(), Origin::Core));
        }
        if right.iter().any(|f| terms.is_false(*f)) {
            return Ok((terms.tru(), Origin::Core));
        }
        if let [only] = left[..]
            && !self.needed[node]
            && self.shared[node].covers(&terms, only)
        {
            return Ok((only, Origin::Core));
        }
        if self.options.candidates
            && let Some(found) = self.candidate(node, &left, &right)
        {
            return Ok((found, Origin::Candidate));
        }
        // A method that answers mostly answers soon: everybody gets a short turn before somebody gets a long one.
        let limit = self.options.method_limit;
        let rounds: &[u64] = if self.options.methods.len() > 1 { &[limit / 16, limit] } else { &[limit] };
        let mut tried = Vec::new();
        for (round, limit) in rounds.iter().enumerate() {
            for method in &self.options.methods {
                // Ours have limits of their own; they would say the same again.
                if round > 0 && matches!(method, Method::Proof | Method::Farkas) {
                    continue;
                }
                let whole_failed = matches!(self.spacer, Spacer::Failed);
                if round == 0 && self.linear && *method == Method::Spacer && whole_failed {
                    continue;
                }
                match self.compute(*method, node, &left, &right, *limit) {
                    Ok(found) => return Ok((found, Origin::Computed(*method))),
                    Err(words) => tried.push((*method, words)),
                }
                if *method == Method::Farkas
                    && let Some((found, method)) = self.eliminated(node, &left, &right)
                {
                    return Ok((found, Origin::Computed(method)));
                }
                if let Err(stop) = self.smt.budget().check() {
                    return Err(NoInterpolant::Undecided(Undecided::Stopped(stop)));
                }
            }
            self.spacer = Spacer::Untried;
        }
        Err(NoInterpolant::NoMethod { cut: node, tried })
    }

    /// The strongest or weakest interpolant of a cut that the linear layer gave up, if one of them is little work.
    fn eliminated(&self, node: usize, left: &[TermId], right: &[TermId]) -> Option<(TermId, Method)> {
        let usable = |method| self.linear && self.options.methods.contains(&method);
        let easily = |side| eliminate::easily(self.smt, side, &self.shared[node]).ok();
        if usable(Method::Strongest)
            && let Some(found) = easily(left)
        {
            return Some((found, Method::Strongest));
        }
        if usable(Method::Weakest)
            && let Some(found) = easily(right)
        {
            return Some((self.smt.terms().not(found), Method::Weakest));
        }
        None
    }

    /// Something known that fits here.
    fn candidate(&mut self, node: usize, left: &[TermId], right: &[TermId]) -> Option<TermId> {
        let found: Vec<TermId> = self.found.iter().map(|(f, _)| *f).collect();
        let known = known(self.smt.terms(), self.tree, self.hints, self.shared, node, &found);
        fitting(&mut self.prover, &known, left, right)
    }

    fn compute(
        &mut self,
        method: Method,
        node: usize,
        left: &[TermId],
        right: &[TermId],
        limit: u64,
    ) -> Result<TermId, String> {
        let smt = self.smt;
        let terms = smt.terms().clone();
        let shared = &self.shared[node];
        let dear = self.bit_vectors || method != Method::Spacer;
        let limit = if dear { limit / DEAR } else { limit };
        match method {
            // It was asked for all cuts before.
            Method::Proof => Err(self.no_proof.unwrap_or("not asked").into()),
            Method::Farkas => {
                let effort = Effort::new(self.options.linear_limit, smt);
                let cut = Cut { terms: &terms, shared, strength: self.options.strength, effort: &effort };
                let found = farkas::interpolate(&mut self.prover, &cut, left, right, self.failures);
                self.failures += u32::from(found.is_err());
                found.map_err(|f| match f {
                    farkas::GivenUp::Undecided(why) => why.to_string(),
                    farkas::GivenUp::Because(words) => words.into(),
                })
            }
            Method::Spacer if matches!(self.spacer, Spacer::Untried) => {
                match whole(smt, self.tree, self.shared, limit) {
                    Ok(all) => {
                        let here = all.formulas[node];
                        self.spacer = Spacer::Answered(all);
                        Ok(here)
                    }
                    Err(words) => {
                        self.spacer = Spacer::Failed;
                        Err(format!("not for all cuts at once: {words}"))
                    }
                }
            }
            Method::Spacer => smt.limited(limit, || {
                let pair = Tree::chain(&[terms.and(left.iter().copied()), terms.and(right.iter().copied())]);
                let vocabularies = pair.vocabularies(&terms);
                let found = spacer::interpolate(smt, &pair, &vocabularies)?;
                check::check(smt, &pair, &vocabularies, &found).map_err(|v| v.to_string())?;
                Ok(found[0])
            }),
            Method::Strongest | Method::Weakest => {
                let side = if method == Method::Strongest { left } else { right };
                let found = smt.limited(limit, || eliminate::strongest(smt, side, shared));
                let found = found.map_err(|e| e.to_string())?;
                // It is exact, and yet the check at the end has refused it for one random sequence of bit-vectors, in a few of many runs
                // that clocks made different. The cause was not found.
                if self.bit_vectors && smt.limited(limit, || smt.entails(side, found)) != Ok(true) {
                    return Err("the result was not confirmed".into());
                }
                Ok(if method == Method::Strongest { found } else { terms.not(found) })
            }
        }
    }
}
