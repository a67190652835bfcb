//! Which part of an object gets which initialiser.

use lang_c::ast::Expression;
use lang_c::span::Node;
use std::collections::BTreeSet;
use std::ops::Bound;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Field(u32),
    Index(u64),
}

/// Sub-objects and the expressions for them, in the order of the text.
#[derive(Default)]
pub struct Plan<'a> {
    /// What was taken back leaves a gap.
    entries: Vec<Option<(Vec<Step>, &'a Node<Expression>)>>,
    /// The first `indexed` entries by path. Only what takes something back needs it.
    index: BTreeSet<(Vec<Step>, usize)>,
    indexed: usize,
}

impl<'a> Plan<'a> {
    pub fn push(&mut self, path: &[Step], e: &'a Node<Expression>) {
        self.entries.push(Some((path.to_vec(), e)));
    }

    /// The expression for the whole object, if it is the only one.
    pub fn whole(&self) -> Option<&'a Node<Expression>> {
        match &self.entries[..] {
            [Some((path, e))] if path.is_empty() => Some(e),
            _ => None,
        }
    }

    pub fn entries(self) -> impl Iterator<Item = (Vec<Step>, &'a Node<Expression>)> {
        self.entries.into_iter().flatten()
    }

    /// Takes back what is said about the sub-object.
    pub fn forget(&mut self, path: &[Step]) {
        self.forget_between(path.to_vec(), after(path));
    }

    /// Takes back what is said about the sub-object, its member `kept` excepted.
    pub fn forget_others(&mut self, path: &[Step], kept: Step) {
        let kept = [path, &[kept]].concat();
        self.forget_between(path.to_vec(), Some(kept.clone()));
        if let Some(rest) = after(&kept) {
            self.forget_between(rest, after(path));
        }
    }

    /// Paths of one sub-object stand together in the order.
    fn forget_between(&mut self, from: Vec<Step>, to: Option<Vec<Step>>) {
        for (i, entry) in self.entries.iter().enumerate().skip(self.indexed) {
            self.index.extend(entry.as_ref().map(|(path, _)| (path.clone(), i)));
        }
        self.indexed = self.entries.len();
        let to = to.map_or(Bound::Unbounded, |to| Bound::Excluded((to, 0)));
        let range = (Bound::Included((from, 0)), to);
        let gone: Vec<_> = self.index.range(range).cloned().collect();
        for key in gone {
            self.entries[key.1] = None;
            self.index.remove(&key);
        }
    }
}

/// The first path behind all that begin with this one; `None`: there is none.
fn after(path: &[Step]) -> Option<Vec<Step>> {
    let (last, front) = path.split_last()?;
    let next = match last {
        Step::Field(n) => Step::Field(n.checked_add(1)?),
        Step::Index(n) => Step::Index(n.checked_add(1)?),
    };
    Some([front, &[next]].concat())
}
