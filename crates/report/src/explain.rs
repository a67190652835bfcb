//! What the words of an answer mean and what can be done: verdicts, reasons of UNKNOWN, kinds of assumptions, groups of options (`craig explain`).

/// What a topic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Verdict,
    Reason,
    Assumption,
    Options,
}

#[derive(Debug, Clone, Copy)]
pub struct Topic {
    pub kind: Kind,
    /// As it stands in answers: the verdict, `reason_key` and `kind` of the JSON, or an option.
    pub name: &'static str,
    /// In one line.
    pub short: &'static str,
    pub text: &'static str,
}

impl Kind {
    /// The heading of all topics of a kind.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Verdict => "Verdicts",
            Kind::Reason => "Why an answer is UNKNOWN",
            Kind::Assumption => "What a verdict may assume",
            Kind::Options => "Options that belong together",
        }
    }
}

/// The topic of this name; upper and lower case are one, spaces count as `-`.
pub fn topic(name: &str) -> Option<&'static Topic> {
    let name = name.trim().trim_start_matches("--").replace(' ', "-").to_lowercase();
    TOPICS.iter().find(|topic| topic.name.to_lowercase() == name)
}

pub const TOPICS: &[Topic] = &[
    verdict(
        "SAFE",
        "no execution reaches the error",
        "\
The proof behind it was checked again by a part of Craig that shares nothing with the engine that found it, and held against runs of the program. It may \
lean on assumptions; each is named above the verdict, and with `--strict` a proof that assumes anything is UNKNOWN. `--witness FILE` keeps the proof.",
    ),
    verdict(
        "UNSAFE",
        "an execution reaches the error",
        "\
The execution is shown line by line; the interpreter has run it bit by bit. `--harness FILE.c` makes a C file of its inputs with which the compiled \
program aborts at the error, `--report DIR` a page that steps through it, `craig run FILE --values ...` runs it again.",
    ),
    verdict(
        "UNKNOWN",
        "not decided; the reason stands in brackets",
        "\
Nothing is claimed. `craig explain REASON` says what the reason means; with `-v` every attempt of an engine says how it ended.",
    ),
    reason(
        "time-limit",
        "the wall-clock limit ended the run",
        "\
Give more time (`--time-limit 15min`), or another method: `--engine predicate`, `ic3`, `impact`, `slicing`, `interp` for loops, `bmc` for errors, `spacer` or `pushdown` for recursion.",
    ),
    reason("cpu-limit", "the limit on processor time ended the run", "As `time-limit`, for `--cpu-limit`."),
    reason(
        "memory-limit",
        "the limit on memory ended the run",
        "\
The process would have needed more than `--memory-limit`. Long unwindings of bounded model checking are the usual cause: try `--engine predicate` or `ic3` alone.",
    ),
    reason(
        "work-limit",
        "an engine gave up by itself",
        "\
Some searches have a limit counted in work, not in time, so that the same program has the same answer on every machine. Other engines may go on: use `auto`.",
    ),
    reason("interrupted", "Ctrl-C", "What was found until then stands above the verdict."),
    reason(
        "unsupported",
        "the program does what Craig has no model of",
        "\
A proof needs it, or a path to the error leads over it. The line is shown. Constructs that have nothing to do with the error stop nothing. docs/c-semantics.md lists what is modelled.",
    ),
    reason(
        "recursion",
        "recursion goes deeper than calls could be followed",
        "\
Engines unfold recursion as far as `--inline-limit` allows. `--engine spacer`, `pushdown` or `runs` look for contracts of procedures, which hold for every depth.",
    ),
    reason(
        "inline-limit",
        "too many operations after inlining",
        "\
Calls are inlined before most engines begin. `--inline-limit N` allows more; `--engine spacer` and `pushdown` take procedures as they are.",
    ),
    reason(
        "refinement",
        "a path is no execution, and no formula explains why",
        "\
The search met a path that does not exist, but found nothing new to tell it from others. Another engine, `--interpolation` or `--arith bv` goes another way.",
    ),
    reason(
        "solver",
        "the solver did not answer",
        "\
A question was too hard or was answered with unknown; products of unknowns and arrays are the usual cause. Another engine asks other questions.",
    ),
    reason(
        "bdd-nodes",
        "decision diagrams grew too large",
        "\
The engine `pushdown` works on bits. `--bdd-nodes N` gives room, `--int-bits N` makes numbers narrower, `--domain smt` works on integers instead.",
    ),
    reason(
        "assignments",
        "an abstract state has too many assignments",
        "\
Too many predicates at one place that do not depend on each other. `--abstraction cartesian` keeps conjunctions only, `--blocks` changes where states are computed.",
    ),
    reason(
        "dnf",
        "a block has too many ways",
        "The base line of IC3 (`--gen old`) turns blocks into cubes one by one. `--gen best` does not.",
    ),
    reason(
        "contract",
        "contracts say too little of what calls do",
        "\
The path to the error needs more of a call than is known of it. Engines go on with calls unfolded.",
    ),
    reason(
        "not-replayed",
        "a path to the error is no execution of the real program",
        "\
The interpreter ran the path and did not come to the error, or met undefined behaviour that is not one of the rules which are assumed away. The line where it ended is named. `--arith bv` excludes paths that exist in mathematical integers only.",
    ),
    reason(
        "certificate",
        "the checker refused a proof",
        "\
The engine claimed SAFE, but its proof did not convince the checker. That is a weakness of Craig, not of the program: other engines may do better, and a report is welcome.",
    ),
    reason(
        "unknown-memory",
        "integers do not follow this memory",
        "\
Memory is read in another way than it was written (unions, byte copies). `--arith bv` follows every byte.",
    ),
    reason(
        "contradiction",
        "a run contradicts a proof",
        "\
Before SAFE the program is run for a while. One run was at odds with the proof, so nothing is claimed. It is a mistake in Craig; the choices of the run are shown: please report them.",
    ),
    reason(
        "flat-memory",
        "the second check in flat memory did not succeed",
        "\
With `--check flat` a proof has to hold in one array of bytes as well. Without the option the proof counts.",
    ),
    reason(
        "narrowed",
        "no error with integers of few bits",
        "`--int-bits` makes another program of it; without an error there nothing is known of the real one.",
    ),
    reason(
        "assumptions",
        "the proof assumes something",
        "`--strict` takes only proofs that assume nothing. What they assume stands above the verdict.",
    ),
    reason(
        "internal",
        "a mistake in Craig",
        "A check inside Craig failed. Please report it with the program.",
    ),
    assumption(
        "signed-overflow",
        "no signed operation overflows there",
        "\
Overflow of signed integers is undefined in C: an execution with one has no meaning. `--property no-overflow` checks that there is none; `--signed-wrap` lets values wrap around.",
    ),
    assumption(
        "division-by-zero",
        "no division by zero there",
        "Undefined behaviour in C; an execution with one has no meaning.",
    ),
    assumption(
        "shift-amount",
        "no shift by a negative number or by too many bits there",
        "Undefined behaviour in C; an execution with one has no meaning.",
    ),
    assumption(
        "invalid-access",
        "no access through an invalid pointer there",
        "\
Null, outside of its object, freed, or out of scope: undefined behaviour in C. An execution with one has no meaning; the access is taken to be valid from then on.",
    ),
    assumption(
        "extern",
        "a function without body does no more than it may",
        "\
It returns any value of its type and changes nothing. `--externs havoc` lets it change all that it can reach, `--externs error` takes a call for something that is not modelled. Linking the file that has the body (`craig check a.c b.c`) removes the assumption.",
    ),
    assumption(
        "allocation",
        "allocation does not fail",
        "`malloc` and its like return memory. `--malloc-may-fail` lets them return null as well.",
    ),
    assumption(
        "asm",
        "inline assembler changes only its outputs",
        "What stands in its text is not looked at.",
    ),
    assumption(
        "volatile",
        "volatile variables change only when the program writes them",
        "Hardware and signal handlers may do otherwise.",
    ),
    assumption("handler", "a signal handler never runs", "A function given to `signal` is not called."),
    assumption(
        "format",
        "a format that is no literal stores through no argument",
        "No string of the program has `%n`; that none is made while it runs is taken for granted.",
    ),
    assumption(
        "environment",
        "pointers from outside lead to objects of their own",
        "\
What a parameter of the entry, `argv` or a function without body points to is none of the program's own objects, unless the program gave it away.",
    ),
    options(
        "engine",
        "which method decides",
        "\
`auto` runs several in turns. `bmc` finds shallow errors, `predicate` invariants from predicates, `ic3` invariants lemma by lemma, `impact` and `slicing` from interpolants without abstraction, `interp` learns from which \
states the error is out of reach, `runs` guesses from runs, `spacer` asks Z3's Horn-clause engine, `pushdown` takes recursion as it is. docs/engines.md describes each with its options.",
    ),
    options(
        "arith",
        "how integers are read",
        "\
`int`: mathematical integers, with wrap-around where C has it and signed overflow taken not to happen; fast, and what invariants are written in. `bv`: bit-vectors. `auto` begins with `int`.",
    ),
    options(
        "blocks",
        "what one step of an abstraction is",
        "\
`single`: one operation, `large`: all between two loop heads, `adjustable` (default): formed so that blocks end where `--block-end` says.",
    ),
    options(
        "witness",
        "proofs and executions as files",
        "\
`--witness FILE` keeps what is behind the verdict, `FILE.yml` and `FILE.graphml` in the formats of SV-COMP; `craig check-witness` checks it again in another process, and witnesses of other tools.",
    ),
];

const fn verdict(name: &'static str, short: &'static str, text: &'static str) -> Topic {
    Topic { kind: Kind::Verdict, name, short, text }
}

const fn reason(name: &'static str, short: &'static str, text: &'static str) -> Topic {
    Topic { kind: Kind::Reason, name, short, text }
}

const fn assumption(name: &'static str, short: &'static str, text: &'static str) -> Topic {
    Topic { kind: Kind::Assumption, name, short, text }
}

const fn options(name: &'static str, short: &'static str, text: &'static str) -> Topic {
    Topic { kind: Kind::Options, name, short, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn topics_are_found_by_their_names() {
        let names: BTreeSet<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        assert_eq!(names.len(), TOPICS.len(), "two topics of one name");
        assert_eq!(topic("safe").map(|t| t.kind), Some(Kind::Verdict));
        assert_eq!(topic("not replayed").map(|t| t.name), Some("not-replayed"));
        assert_eq!(topic("--engine").map(|t| t.kind), Some(Kind::Options));
        assert!(topic("nothing").is_none());
    }
}
