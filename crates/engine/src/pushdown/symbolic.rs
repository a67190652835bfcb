//! Operations of a program as functions over bits.

use super::numbers::Number;
use super::space::{BitId, RegId, Space, Version};
use super::storage::{Relevance, Shapes, Storage};
use super::{Res, unsupported};
use craig_base::Span;
use craig_cfa::{
    BinOp, Const, EdgeId, ExprId, ExprKind, Op, PlaceId, PlaceKind, ProcId, Type, TypeId, UnOp, VarId,
};
use craig_smt::bdd::bits::{Bits, Circuits};
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction, OutOfMemory};
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that a step leaves open: which bits it is made of.
#[derive(Debug, Clone)]
pub struct Open {
    pub offset: u64,
    pub bit: u8,
    pub ty: TypeId,
    pub vars: Vec<BddVar>,
}

/// An edge of the program with what it leaves open.
#[derive(Debug, Clone)]
pub struct Step {
    pub edge: EdgeId,
    pub open: Vec<Open>,
}

/// Bits of a register, and the number that they become.
#[derive(Clone)]
pub struct Update {
    pub bits: Vec<BitId>,
    pub value: Number,
}

/// What an edge means: storage and how wide things are.
#[derive(Debug, Clone, Copy)]
pub struct Meaning<'a> {
    pub shapes: Shapes<'a>,
    pub storage: &'a Storage,
    pub relevance: &'a Relevance,
}

/// A run through edges in which all values are functions of the values at its start.
#[derive(Clone)]
pub struct Course<'a> {
    meaning: Meaning<'a>,
    /// Variables that have been written, scalar by scalar.
    values: FxHashMap<VarId, Vec<Number>>,
    memo: FxHashMap<ExprId, Number>,
    pub guard: Bdd,
    pub steps: Vec<Step>,
    pub open: Vec<BddVar>,
    opened: FxHashSet<BitId>,
    spare: usize,
    span: Span,
}

impl<'a> Course<'a> {
    pub fn new(meaning: Meaning<'a>, space: &Space) -> Course<'a> {
        Course {
            meaning,
            values: FxHashMap::default(),
            memo: FxHashMap::default(),
            guard: space.constant(true),
            steps: Vec::new(),
            open: Vec::new(),
            opened: FxHashSet::default(),
            spare: 0,
            span: Span::default(),
        }
    }

    /// The registers of a variable.
    pub fn regs(&self, var: VarId) -> Option<&'a [RegId]> {
        self.meaning.storage.regs[var].as_deref()
    }

    /// Does anybody use what the procedure returns?
    pub fn result_matters(&self, proc: ProcId) -> bool {
        self.meaning.relevance.results[proc]
    }

    /// A course that begins where a call has returned to this one.
    pub fn behind_call(&self, space: &Space) -> Course<'a> {
        Course { span: self.span, ..Course::new(self.meaning, space) }
    }

    /// What has been written, as numbers for the bits of registers.
    pub fn updates(&self, space: &Space) -> Vec<Update> {
        let mut updates = Vec::new();
        for (var, leaves) in &self.values {
            if let Some(regs) = &self.meaning.storage.regs[*var] {
                for (reg, value) in regs.iter().zip(leaves) {
                    let bits = space.reg(*reg)[..value.width()].to_vec();
                    let same = value.known().is_some_and(|known| *known == space.bits(Version::Now, &bits));
                    if !same {
                        updates.push(Update { bits, value: value.clone() });
                    }
                }
            }
        }
        updates.sort_by(|a, b| a.bits.cmp(&b.bits));
        updates
    }

    /// Goes over an edge that is no call and no return. `false`: the run ends there.
    pub fn over(&mut self, space: &mut Space, id: EdgeId) -> Res<bool> {
        let program = self.meaning.shapes.program;
        let edge = &program.edges[id];
        self.span = edge.span;
        self.steps.push(Step { edge: id, open: Vec::new() });
        match &edge.op {
            Op::Skip | Op::Unsupported(_) | Op::Deeper(_) => Ok(true),
            Op::Assume(e) => {
                let condition = self.condition(space, *e)?;
                self.guard = self.guard.and(&condition)?;
                Ok(self.guard.satisfiable())
            }
            Op::Assign(place, e) => {
                if self.matters(*place) {
                    let value = self.leaves(space, *e)?;
                    self.assign(space, *place, &value)?;
                }
                Ok(true)
            }
            Op::Havoc(place, _) => {
                self.havoc(space, *place)?;
                Ok(true)
            }
            Op::Output(out) if out.buffer().is_none() => {
                if let Some(place) = out.ret {
                    self.havoc(space, place)?;
                }
                Ok(true)
            }
            Op::Halt(_) => Ok(false),
            Op::Call(_) | Op::Return(_) => Ok(false),
            _ => Err(unsupported("memory in a pushdown system", edge.span)),
        }
    }

    fn matters(&self, place: PlaceId) -> bool {
        let root = self.meaning.shapes.program.exprs.root_var(place);
        root.is_none_or(|var| self.meaning.relevance.vars.contains(&var))
    }

    fn havoc(&mut self, space: &mut Space, place: PlaceId) -> Res<()> {
        let program = self.meaning.shapes.program;
        if !self.matters(place) {
            return Ok(());
        }
        let ty = program.exprs.place(place).ty;
        let leaves = self.meaning.shapes.leaves(ty, self.span)?;
        let (var, alternatives) = self.place(space, place)?;
        let fixed = match &alternatives[..] {
            [(_, base)] => Some(*base),
            _ => None,
        };
        let mut values = Vec::new();
        for (i, leaf) in leaves.iter().enumerate() {
            let reg = fixed.and_then(|base| self.meaning.storage.regs[var].as_ref()?.get(base + i).copied());
            let mut vars = Vec::new();
            let mut value = Vec::new();
            for position in 0..leaf.width {
                let own = reg.and_then(|reg| space.reg(reg).get(position).copied());
                let (var, function) = match own {
                    Some(bit) if self.opened.insert(bit) => {
                        (space.var(Version::Open, bit), space.bit(Version::Open, bit).clone())
                    }
                    _ => {
                        self.spare += 1;
                        space.spare(self.spare - 1)?
                    }
                };
                vars.push(var);
                value.push(function);
            }
            self.open.extend(&vars);
            if let Some(step) = self.steps.last_mut() {
                step.open.push(Open { offset: leaf.offset, bit: leaf.bit, ty: leaf.ty, vars });
            }
            values.push(Number::from(value));
        }
        self.store(space, var, &alternatives, &values)
    }

    /// The value of a scalar of a variable.
    fn leaf(&self, space: &Space, var: VarId, leaf: usize, width: usize) -> Number {
        if let Some(values) = self.values.get(&var) {
            return values[leaf].clone();
        }
        match &self.meaning.storage.regs[var] {
            Some(regs) => space.bits(Version::Now, &space.reg(regs[leaf])[..width]).into(),
            // Written before it is read, on every way.
            None => space.circuits.constant(0, width).into(),
        }
    }

    /// All scalars of a variable, to be changed.
    fn all(&mut self, space: &Space, var: VarId) -> Res<&mut Vec<Number>> {
        if !self.values.contains_key(&var) {
            let declared = &self.meaning.shapes.program.vars[var];
            let leaves = self.meaning.shapes.leaves(declared.ty, declared.span)?;
            let values = leaves.iter().enumerate().map(|(i, leaf)| self.leaf(space, var, i, leaf.width));
            let values = values.collect();
            self.values.insert(var, values);
        }
        Ok(self.values.entry(var).or_default())
    }

    /// The variable of a place, and where in it the place may begin, each under a condition.
    fn place(&mut self, space: &Space, place: PlaceId) -> Res<(VarId, Vec<(Bdd, usize)>)> {
        let program = self.meaning.shapes.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Ok((var, vec![(space.constant(true), 0)])),
            PlaceKind::Deref(_) => Err(unsupported("a pointer in a pushdown system", self.span)),
            PlaceKind::Field(of, field) => {
                let skip = self.meaning.shapes.before_field(program.exprs.place(of).ty, field);
                let (var, found) = self.place(space, of)?;
                Ok((var, found.into_iter().map(|(c, base)| (c, base + skip)).collect()))
            }
            PlaceKind::Index(of, index) => {
                let (var, found) = self.place(space, of)?;
                let Type::Array { elem, len: Some(len) } = *program.types.get(program.exprs.place(of).ty)
                else {
                    return Err(unsupported("an array of unknown length in a pushdown system", self.span));
                };
                let size = self.meaning.shapes.count(elem);
                let c = &space.circuits;
                let index = self.scalar(space, index)?;
                let index = index.bits(c)?;
                let mut result = Vec::new();
                for i in 0..len as usize {
                    if index.len() < usize::BITS as usize && i >> index.len() != 0 {
                        break;
                    }
                    let here = c.equal(index, &c.constant(i as u128, index.len()))?;
                    for (condition, base) in &found {
                        let condition = condition.and(&here)?;
                        if condition.satisfiable() {
                            result.push((condition, base + i * size));
                        }
                    }
                }
                Ok((var, result))
            }
        }
    }

    fn assign(&mut self, space: &Space, place: PlaceId, value: &[Number]) -> Res<()> {
        let (var, alternatives) = self.place(space, place)?;
        self.store(space, var, &alternatives, value)
    }

    fn store(
        &mut self,
        space: &Space,
        var: VarId,
        alternatives: &[(Bdd, usize)],
        value: &[Number],
    ) -> Res<()> {
        let all = self.all(space, var)?;
        for (condition, base) in alternatives {
            for (old, new) in all[*base..].iter_mut().zip(value) {
                *old = Number::choose(condition, &new.resize(old.width(), false), old);
            }
        }
        self.memo.clear();
        Ok(())
    }

    /// What goes to a place when a call returns: the result is in its registers.
    pub fn take_result(&mut self, space: &mut Space, place: PlaceId) -> Res<()> {
        if !self.matters(place) {
            return Ok(());
        }
        let ty = self.meaning.shapes.program.exprs.place(place).ty;
        let leaves = self.meaning.shapes.leaves(ty, self.span)?;
        let regs = self.meaning.storage.result.iter().zip(&leaves);
        let value: Vec<Number> =
            regs.map(|(reg, leaf)| space.bits(Version::Now, &space.reg(*reg)[..leaf.width]).into()).collect();
        self.assign(space, place, &value)
    }

    /// The scalars of an expression.
    pub fn leaves(&mut self, space: &Space, e: ExprId) -> Res<Vec<Number>> {
        let program = self.meaning.shapes.program;
        let ty = program.exprs.ty(e);
        if self.meaning.shapes.scalar(ty).is_some() {
            return Ok(vec![self.scalar(space, e)?]);
        }
        match *program.exprs.kind(e) {
            ExprKind::Read(place) => self.read(space, place),
            ExprKind::Const(Const::Zero) => {
                let leaves = self.meaning.shapes.leaves(ty, self.span)?;
                Ok(leaves.iter().map(|leaf| space.circuits.constant(0, leaf.width).into()).collect())
            }
            _ => Err(unsupported("a value of this kind in a pushdown system", self.span)),
        }
    }

    fn read(&mut self, space: &Space, place: PlaceId) -> Res<Vec<Number>> {
        let ty = self.meaning.shapes.program.exprs.place(place).ty;
        let leaves = self.meaning.shapes.leaves(ty, self.span)?;
        let (var, alternatives) = self.place(space, place)?;
        let mut result: Option<Vec<Number>> = None;
        for (condition, base) in &alternatives {
            let values = leaves.iter().enumerate().map(|(i, leaf)| {
                let value = self.leaf(space, var, base + i, leaf.width);
                value.resize(leaf.width, false)
            });
            result = Some(match result {
                None => values.collect(),
                Some(known) => {
                    let pairs = values.zip(&known);
                    pairs.map(|(new, old)| Number::choose(condition, &new, old)).collect()
                }
            });
        }
        // No cell: such a read ends the run, or is behind an assumption that excludes it.
        let nothing = |width: usize| Number::from(space.circuits.constant(0, width));
        Ok(result.unwrap_or_else(|| leaves.iter().map(|leaf| nothing(leaf.width)).collect()))
    }

    pub fn condition(&mut self, space: &Space, e: ExprId) -> Res<Bdd> {
        let number = self.scalar(space, e)?;
        let bits = number.bits(&space.circuits)?;
        Ok(bits.first().cloned().unwrap_or_else(|| space.constant(false)))
    }

    fn width(&self, ty: TypeId) -> Res<(usize, bool)> {
        let known = self.meaning.shapes.scalar(ty);
        known.ok_or_else(|| unsupported("a value of this type in a pushdown system", self.span))
    }

    pub fn scalar(&mut self, space: &Space, e: ExprId) -> Res<Number> {
        if let Some(known) = self.memo.get(&e) {
            return Ok(known.clone());
        }
        let number = self.compute(space, e)?;
        self.memo.insert(e, number.clone());
        Ok(number)
    }

    fn compute(&mut self, space: &Space, e: ExprId) -> Res<Number> {
        let exprs = &self.meaning.shapes.program.exprs;
        let c = &space.circuits;
        let (width, _) = self.width(exprs.ty(e))?;
        Ok(match exprs.kind(e) {
            ExprKind::Const(Const::Bool(value)) => vec![c.bit(*value)].into(),
            ExprKind::Const(Const::Bits(value)) => c.constant(*value, width).into(),
            ExprKind::Const(Const::Int(value)) => {
                let value = i128::try_from(value.clone())
                    .map_err(|_| unsupported("a large number in a pushdown system", self.span))?;
                c.constant(value.cast_unsigned(), width).into()
            }
            ExprKind::Read(place) => self.read(space, *place)?.swap_remove(0),
            ExprKind::Unary(UnOp::Not | UnOp::BitNot, a) => self.scalar(space, *a)?.unary(Circuits::not),
            ExprKind::Unary(UnOp::Neg, a) => self.scalar(space, *a)?.unary(Circuits::neg),
            ExprKind::Binary(op, a, b) => self.binary(space, *op, *a, *b)?,
            ExprKind::Cast(a) => {
                let (_, signed) = self.width(exprs.ty(*a))?;
                self.scalar(space, *a)?.resize(width, signed)
            }
            ExprKind::Ite(condition, a, b) => {
                let condition = self.condition(space, *condition)?;
                Number::choose(&condition, &self.scalar(space, *a)?, &self.scalar(space, *b)?)
            }
            ExprKind::Overflows(op, a, b) => {
                let (narrow, signed) = self.width(exprs.ty(*a))?;
                let (wide, op) = (2 * narrow + 1, *op);
                let (x, y) = (self.scalar(space, *a)?, self.scalar(space, *b)?);
                x.resize(wide, signed).binary(&y.resize(wide, signed), 1, move |c, x, y| {
                    let exact = match op {
                        BinOp::Add => c.add(x, y)?,
                        BinOp::Sub => c.sub(x, y)?,
                        _ => c.mul(x, y)?,
                    };
                    Ok(vec![c.equal(&exact, &c.resize(&exact[..narrow], wide, signed))?.not()?])
                })
            }
            ExprKind::Extract { of, hi, lo } => {
                let (of, range) = (self.scalar(space, *of)?, usize::from(*lo)..usize::from(*hi));
                if range.start > range.end || range.end > of.width() {
                    return Err(unsupported("bits of a narrowed number in a pushdown system", self.span));
                }
                Number::later(range.len(), move |c| Ok(of.bits(c)?[range].to_vec()))
            }
            ExprKind::Concat(high, low) => {
                let (high, low) = (self.scalar(space, *high)?, self.scalar(space, *low)?);
                let width = width.min(high.width() + low.width());
                Number::later(width, move |c| {
                    Ok(low.bits(c)?.iter().chain(high.bits(c)?).take(width).cloned().collect())
                })
            }
            _ => return Err(unsupported("an expression of this kind in a pushdown system", self.span)),
        })
    }

    fn binary(&mut self, space: &Space, op: BinOp, a: ExprId, b: ExprId) -> Res<Number> {
        let exprs = &self.meaning.shapes.program.exprs;
        let (_, signed) = self.width(exprs.ty(a))?;
        let (x, y) = (self.scalar(space, a)?, self.scalar(space, b)?);
        if op == BinOp::RDiv {
            return Err(unsupported("reals in a pushdown system", self.span));
        }
        let width = match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => 1,
            _ => x.width(),
        };
        Ok(x.binary(&y, width, move |c, x, y| operation(c, op, x, y, signed)))
    }
}

fn operation(c: &Circuits, op: BinOp, x: &[Bdd], y: &[Bdd], signed: bool) -> Result<Bits, OutOfMemory> {
    Ok(match op {
        BinOp::Add => c.add(x, y)?,
        BinOp::Sub => c.sub(x, y)?,
        BinOp::Mul => c.mul(x, y)?,
        BinOp::Div if signed => c.divide_signed(x, y)?.0,
        BinOp::Rem if signed => c.divide_signed(x, y)?.1,
        BinOp::Div | BinOp::RDiv => c.divide(x, y)?.0,
        BinOp::Rem => c.divide(x, y)?.1,
        BinOp::Shl => c.shift_left(x, y)?,
        BinOp::Shr => c.shift_right(x, y, signed)?,
        BinOp::BitAnd | BinOp::And => c.and(x, y)?,
        BinOp::BitOr | BinOp::Or => c.or(x, y)?,
        BinOp::BitXor => c.xor(x, y)?,
        BinOp::Eq => vec![c.equal(x, y)?],
        BinOp::Ne => vec![c.equal(x, y)?.not()?],
        BinOp::Lt => vec![c.less(x, y, signed)?],
        BinOp::Le => vec![c.at_most(x, y, signed)?],
        BinOp::Implies => c.or(&c.not(x)?, y)?,
        BinOp::Iff => c.not(&c.xor(x, y)?)?,
        BinOp::EDiv | BinOp::ERem => {
            let (quotient, rest) = c.divide_signed(x, y)?;
            // The remainder of the Euclidean division is never negative.
            let negative = rest.last().cloned().unwrap_or_else(|| c.bit(false));
            let minus = y.last().cloned().unwrap_or_else(|| c.bit(false));
            let one = c.constant(1, x.len());
            let step = c.ite(&minus, &one, &c.neg(&one)?)?;
            let size = c.ite(&minus, &c.neg(y)?, y)?;
            match op {
                BinOp::EDiv => c.ite(&negative, &c.add(&quotient, &step)?, &quotient)?,
                _ => c.ite(&negative, &c.add(&rest, &size)?, &rest)?,
            }
        }
    })
}
