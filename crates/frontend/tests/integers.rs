//! Random integer programs, written in Boogie and in C: both front ends read them, and they do the same.

use craig_base::Budget;
use craig_cfa::interp::{self, Chooser, Config, Key, Random, RunEnd, Scalar, Undefined};
use craig_cfa::{Choice, DataModel, EdgeId, Program, graph, pass, verify};
use craig_frontend::{Reading, boogie, c};
use craig_testgen::integers::{Lang, VARS, generate};
use craig_testgen::rng::Rng;
use dashu::integer::IBig;

fn load(seed: u64, lang: Lang) -> Program {
    let text = generate(seed).text(lang);
    let reading = Reading { model: DataModel::Lp64, ..Reading::default() };
    let loaded = match lang {
        Lang::Boogie => boogie::load_text("random.bpl", &text, &reading, &Budget::unlimited()),
        Lang::C => c::load_text("random.c", &text, &reading, &Budget::unlimited()),
    };
    let program = loaded.unwrap_or_else(|e| panic!("{e:?}\n{text}")).program;
    verify::verify(&program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
    program
}

fn run(program: &Program, chooser: &mut dyn Chooser) -> RunEnd {
    let config = Config { steps: 20_000, ..Config::default() };
    interp::run(program, &config, chooser, &mut std::io::sink()).end
}

fn loops(program: &Program) -> usize {
    graph::order(program, &program.graph()).loop_head.iter().filter(|head| **head).count()
}

#[test]
fn both_front_ends_read_every_program() {
    let mut most = 0;
    for seed in 0..200 {
        let (boogie, c) = (load(seed, Lang::Boogie), load(seed, Lang::C));
        assert_eq!(loops(&boogie), loops(&c), "seed {seed}");
        most = most.max(loops(&boogie));
    }
    assert!(most > 30, "{most} loops in the largest");
}

/// The variables begin with these values.
struct Given<'a> {
    values: &'a [i64],
    asked: usize,
}

impl Given<'_> {
    fn next(&mut self) -> i64 {
        self.asked += 1;
        self.values[self.asked - 1]
    }
}

impl Chooser for Given<'_> {
    fn bits(&mut self, _: &Key, _: Option<&Choice>, ty: Scalar) -> u128 {
        assert!(matches!(ty, Scalar::Int(int) if int.width == 64), "{ty:?}");
        i128::from(self.next()) as u128
    }

    fn int(&mut self, _: &Key, _: Option<&Choice>) -> IBig {
        self.next().into()
    }

    fn fill(&mut self, _: EdgeId, _: u64, _: u64, _: &mut [u8]) {
        panic!("no memory is asked for");
    }
}

#[test]
fn boogie_and_c_run_the_same() {
    let (mut errors, mut ended, mut rng) = (0, 0, Rng::new(1));
    for seed in 0..100 {
        let twins = [load(seed, Lang::Boogie), load(seed, Lang::C)];
        for _ in 0..5 {
            let values = VARS.map(|_| rng.below(401) as i64 - 200);
            let outcomes = twins.each_ref().map(|program| {
                let mut given = Given { values: &values, asked: 0 };
                let outcome = run(program, &mut given);
                assert_eq!(given.asked, VARS.len());
                outcome
            });
            match outcomes {
                [RunEnd::Error, RunEnd::Error] => errors += 1,
                [RunEnd::Ended { .. }, RunEnd::Ended { .. }] => ended += 1,
                // A loop without end takes other steps in each; a sum that grows for ever is at home in Boogie only.
                [_, RunEnd::Limit(_) | RunEnd::Undefined(Undefined::SignedOverflow, _)] => {}
                [RunEnd::Limit(_), _] => {}
                other => panic!("seed {seed}, {values:?}: {other:?}"),
            }
        }
    }
    assert!(errors > 50 && ended > 50, "{errors} errors, {ended} ended");
}

/// Inlining and pruning change how a program looks, not what it does.
#[test]
fn prepared_programs_run_the_same() {
    let (mut errors, mut ended) = (0, 0);
    for seed in 0..40 {
        let source = load(seed, Lang::Boogie);
        let budget = Budget::unlimited();
        let inlined = pass::inline(&source, None, pass::inline::DEFAULT_LIMIT, &budget).unwrap().program;
        let pruned = pass::prune(&inlined, &budget).unwrap().program;
        for values in 0..4 {
            let outcome = run(&source, &mut Random::new(values));
            match outcome {
                RunEnd::Error => errors += 1,
                RunEnd::Ended { .. } => ended += 1,
                // A loop without end: the number of steps is not the same.
                _ => continue,
            }
            let same =
                (run(&pruned, &mut Random::new(values)) == RunEnd::Error) == (outcome == RunEnd::Error);
            assert!(same, "seed {seed}, values {values}");
        }
    }
    assert!(errors > 10 && ended > 10, "{errors} errors, {ended} ended");
}
