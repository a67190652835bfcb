//! Operations of a program as functions over bits.

use super::space::{BitId, RegId, Space, Version};
use super::storage::{Relevance, Shapes, Storage};
use super::{Res, unsupported};
use craig_base::Span;
use craig_cfa::{
    BinOp, Const, EdgeId, ExprId, ExprKind, Op, PlaceId, PlaceKind, ProcId, Type, TypeId, UnOp, VarId,
};
use craig_smt::bdd::bits::Bits;
use craig_smt::bdd::{Bdd, BddVar, BooleanFunction};
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
    values: FxHashMap<VarId, Vec<Bits>>,
    memo: FxHashMap<ExprId, Bits>,
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

    /// What has been written, as functions for the bits of registers.
    pub fn updates(&self, space: &Space) -> Vec<(BitId, Bdd)> {
        let mut updates = Vec::new();
        for (var, leaves) in &self.values {
            if let Some(regs) = &self.meaning.storage.regs[*var] {
                for (reg, value) in regs.iter().zip(leaves) {
                    let bits = space.reg(*reg).iter().zip(value);
                    let changed = bits.filter(|(bit, f)| space.bit(Version::Now, **bit) != *f);
                    updates.extend(changed.map(|(bit, f)| (*bit, f.clone())));
                }
            }
        }
        updates.sort_by_key(|(bit, _)| *bit);
        updates
    }

    /// Goes over an edge that is no call and no return. `false`: the run ends there.
    pub fn over(&mut self, space: &mut Space, id: EdgeId) -> Res<bool> {
        let program = self.meaning.shapes.program;
        let edge = &program.edges[id];
        self.span = edge.span;
        self.steps.push(Step { edge: id, open: Vec::new() });
        match &edge.op {
            Op::Skip | Op::Unsupported(_) => Ok(true),
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
            values.push(value);
        }
        self.store(space, var, &alternatives, &values)
    }

    /// The value of a scalar of a variable.
    fn leaf(&self, space: &Space, var: VarId, leaf: usize, width: usize) -> Res<Bits> {
        if let Some(values) = self.values.get(&var) {
            return Ok(values[leaf].clone());
        }
        match &self.meaning.storage.regs[var] {
            Some(regs) => Ok(space.bits(Version::Now, &space.reg(regs[leaf])[..width])),
            // Written before it is read, on every way.
            None => Ok(space.circuits.constant(0, width)),
        }
    }

    /// All scalars of a variable, to be changed.
    fn all(&mut self, space: &Space, var: VarId) -> Res<&mut Vec<Bits>> {
        if !self.values.contains_key(&var) {
            let declared = &self.meaning.shapes.program.vars[var];
            let leaves = self.meaning.shapes.leaves(declared.ty, declared.span)?;
            let values = leaves.iter().enumerate().map(|(i, leaf)| self.leaf(space, var, i, leaf.width));
            let values = values.collect::<Res<Vec<Bits>>>()?;
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
                let index = self.scalar(space, index)?;
                let c = &space.circuits;
                let mut result = Vec::new();
                for i in 0..len as usize {
                    if index.len() < usize::BITS as usize && i >> index.len() != 0 {
                        break;
                    }
                    let here = c.equal(&index, &c.constant(i as u128, index.len()))?;
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

    fn assign(&mut self, space: &Space, place: PlaceId, value: &[Bits]) -> Res<()> {
        let (var, alternatives) = self.place(space, place)?;
        self.store(space, var, &alternatives, value)
    }

    fn store(&mut self, space: &Space, var: VarId, alternatives: &[(Bdd, usize)], value: &[Bits]) -> Res<()> {
        let always = space.constant(true);
        let all = self.all(space, var)?;
        for (condition, base) in alternatives {
            for (old, new) in all[*base..].iter_mut().zip(value) {
                let new = space.circuits.resize(new, old.len(), false);
                *old = if *condition == always { new } else { space.circuits.ite(condition, &new, old)? };
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
        let value: Vec<Bits> =
            regs.map(|(reg, leaf)| space.bits(Version::Now, &space.reg(*reg)[..leaf.width])).collect();
        self.assign(space, place, &value)
    }

    /// The scalars of an expression.
    pub fn leaves(&mut self, space: &Space, e: ExprId) -> Res<Vec<Bits>> {
        let program = self.meaning.shapes.program;
        let ty = program.exprs.ty(e);
        if self.meaning.shapes.scalar(ty).is_some() {
            return Ok(vec![self.scalar(space, e)?]);
        }
        match *program.exprs.kind(e) {
            ExprKind::Read(place) => self.read(space, place),
            ExprKind::Const(Const::Zero) => {
                let leaves = self.meaning.shapes.leaves(ty, self.span)?;
                Ok(leaves.iter().map(|leaf| space.circuits.constant(0, leaf.width)).collect())
            }
            _ => Err(unsupported("a value of this kind in a pushdown system", self.span)),
        }
    }

    fn read(&mut self, space: &Space, place: PlaceId) -> Res<Vec<Bits>> {
        let ty = self.meaning.shapes.program.exprs.place(place).ty;
        let leaves = self.meaning.shapes.leaves(ty, self.span)?;
        let (var, alternatives) = self.place(space, place)?;
        let mut result: Option<Vec<Bits>> = None;
        for (condition, base) in &alternatives {
            let values = leaves.iter().enumerate().map(|(i, leaf)| {
                let value = self.leaf(space, var, base + i, leaf.width)?;
                Ok(space.circuits.resize(&value, leaf.width, false))
            });
            let values = values.collect::<Res<Vec<Bits>>>()?;
            result = Some(match result {
                None => values,
                Some(known) => {
                    let pairs = values.iter().zip(&known);
                    pairs
                        .map(|(new, old)| space.circuits.ite(condition, new, old))
                        .collect::<Result<_, _>>()?
                }
            });
        }
        // No cell: such a read ends the run, or is behind an assumption that excludes it.
        Ok(result.unwrap_or_else(|| leaves.iter().map(|l| space.circuits.constant(0, l.width)).collect()))
    }

    pub fn condition(&mut self, space: &Space, e: ExprId) -> Res<Bdd> {
        let bits = self.scalar(space, e)?;
        Ok(bits.into_iter().next().unwrap_or_else(|| space.constant(false)))
    }

    fn width(&self, ty: TypeId) -> Res<(usize, bool)> {
        let known = self.meaning.shapes.scalar(ty);
        known.ok_or_else(|| unsupported("a value of this type in a pushdown system", self.span))
    }

    pub fn scalar(&mut self, space: &Space, e: ExprId) -> Res<Bits> {
        if let Some(known) = self.memo.get(&e) {
            return Ok(known.clone());
        }
        let bits = self.compute(space, e)?;
        self.memo.insert(e, bits.clone());
        Ok(bits)
    }

    fn compute(&mut self, space: &Space, e: ExprId) -> Res<Bits> {
        let exprs = &self.meaning.shapes.program.exprs;
        let c = &space.circuits;
        let (width, _) = self.width(exprs.ty(e))?;
        Ok(match exprs.kind(e) {
            ExprKind::Const(Const::Bool(value)) => vec![c.bit(*value)],
            ExprKind::Const(Const::Bits(value)) => c.constant(*value, width),
            ExprKind::Const(Const::Int(value)) => {
                let value = i128::try_from(value.clone())
                    .map_err(|_| unsupported("a large number in a pushdown system", self.span))?;
                c.constant(value.cast_unsigned(), width)
            }
            ExprKind::Read(place) => self.read(space, *place)?.swap_remove(0),
            ExprKind::Unary(UnOp::Not | UnOp::BitNot, a) => c.not(&self.scalar(space, *a)?)?,
            ExprKind::Unary(UnOp::Neg, a) => c.neg(&self.scalar(space, *a)?)?,
            ExprKind::Binary(op, a, b) => self.binary(space, *op, *a, *b)?,
            ExprKind::Cast(a) => {
                let (_, signed) = self.width(exprs.ty(*a))?;
                c.resize(&self.scalar(space, *a)?, width, signed)
            }
            ExprKind::Ite(condition, a, b) => {
                let condition = self.condition(space, *condition)?;
                c.ite(&condition, &self.scalar(space, *a)?, &self.scalar(space, *b)?)?
            }
            ExprKind::Overflows(op, a, b) => {
                let (narrow, signed) = self.width(exprs.ty(*a))?;
                let wide = 2 * narrow + 1;
                let (x, y) = (self.scalar(space, *a)?, self.scalar(space, *b)?);
                let (x, y) = (c.resize(&x, wide, signed), c.resize(&y, wide, signed));
                let exact = match op {
                    BinOp::Add => c.add(&x, &y)?,
                    BinOp::Sub => c.sub(&x, &y)?,
                    _ => c.mul(&x, &y)?,
                };
                vec![c.equal(&exact, &c.resize(&exact[..narrow], wide, signed))?.not()?]
            }
            ExprKind::Extract { of, hi, lo } => {
                let bits = self.scalar(space, *of)?;
                bits.get(usize::from(*lo)..usize::from(*hi))
                    .map(<[Bdd]>::to_vec)
                    .ok_or_else(|| unsupported("bits of a narrowed number in a pushdown system", self.span))?
            }
            ExprKind::Concat(high, low) => {
                let mut bits = self.scalar(space, *low)?;
                bits.extend(self.scalar(space, *high)?);
                bits.truncate(width);
                bits
            }
            _ => return Err(unsupported("an expression of this kind in a pushdown system", self.span)),
        })
    }

    fn binary(&mut self, space: &Space, op: BinOp, a: ExprId, b: ExprId) -> Res<Bits> {
        let exprs = &self.meaning.shapes.program.exprs;
        let c = &space.circuits;
        let (_, signed) = self.width(exprs.ty(a))?;
        let (x, y) = (self.scalar(space, a)?, self.scalar(space, b)?);
        Ok(match op {
            BinOp::Add => c.add(&x, &y)?,
            BinOp::Sub => c.sub(&x, &y)?,
            BinOp::Mul => c.mul(&x, &y)?,
            BinOp::Div if signed => c.divide_signed(&x, &y)?.0,
            BinOp::Rem if signed => c.divide_signed(&x, &y)?.1,
            BinOp::Div => c.divide(&x, &y)?.0,
            BinOp::Rem => c.divide(&x, &y)?.1,
            BinOp::Shl => c.shift_left(&x, &y)?,
            BinOp::Shr => c.shift_right(&x, &y, signed)?,
            BinOp::BitAnd | BinOp::And => c.zip(&x, &y, |p, q| p.and(q))?,
            BinOp::BitOr | BinOp::Or => c.zip(&x, &y, |p, q| p.or(q))?,
            BinOp::BitXor => c.zip(&x, &y, |p, q| p.xor(q))?,
            BinOp::Eq => vec![c.equal(&x, &y)?],
            BinOp::Ne => vec![c.equal(&x, &y)?.not()?],
            BinOp::Lt => vec![c.less(&x, &y, signed)?],
            BinOp::Le => vec![c.at_most(&x, &y, signed)?],
            BinOp::Implies => c.zip(&x, &y, |p, q| p.imp(q))?,
            BinOp::Iff => c.zip(&x, &y, |p, q| p.equiv(q))?,
            BinOp::EDiv | BinOp::ERem => {
                let (quotient, rest) = c.divide_signed(&x, &y)?;
                // The remainder of the Euclidean division is never negative.
                let negative = rest.last().cloned().unwrap_or_else(|| c.bit(false));
                let minus = y.last().cloned().unwrap_or_else(|| c.bit(false));
                let one = c.constant(1, x.len());
                let step = c.ite(&minus, &one, &c.neg(&one)?)?;
                let size = c.ite(&minus, &c.neg(&y)?, &y)?;
                match op {
                    BinOp::EDiv => c.ite(&negative, &c.add(&quotient, &step)?, &quotient)?,
                    _ => c.ite(&negative, &c.add(&rest, &size)?, &rest)?,
                }
            }
            BinOp::RDiv => return Err(unsupported("reals in a pushdown system", self.span)),
        })
    }
}
