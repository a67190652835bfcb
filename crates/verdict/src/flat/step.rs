//! Operations: how they change a state.

use super::eval::{Address, Eval, Spot, Value, field_bytes};
use super::layout::{Kind, MEM, ObjId, Shape, State, shape};
use super::space::{Fill, Region, Space};
use super::{Model, NotTranslatable};
use craig_cfa::{CallString, Const, EdgeId, ExprId, ExprKind, IntTy, Op, PlaceId, TypeId};
use craig_logic::{Sort, TermId};
use std::rc::Rc;

/// Ranges up to this many bytes are written byte by byte.
const SHORT: u64 = 16;

/// Where an operation stands: its edge in the source program, its call, and the condition of the path to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub edge: EdgeId,
    pub calls: CallString,
    pub guard: TermId,
}

impl Model<'_> {
    /// Changes the state as the operation does. The run goes on only if the result holds.
    pub fn step(
        &self,
        op: &Op,
        site: Site,
        state: &mut State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        let t = &self.terms;
        let value = |e: ExprId, state: &State, space: &mut Space| Eval::new(self, state, space).expr(e);
        let bad = match op {
            Op::Skip | Op::Return(None) => t.fls(),
            Op::Return(Some(e)) => match self.program.types.is_aggregate(self.program.exprs.ty(*e)) {
                true => t.fls(),
                false => value(*e, state, space)?.bad,
            },
            Op::Assume(e) => {
                let value = value(*e, state, space)?;
                return Ok(t.and([value.term, t.not(value.bad)]));
            }
            Op::Halt(_) => t.tru(),
            Op::Assign(place, e) => self.assign(*place, *e, state, space)?,
            Op::Havoc(place, _) => self.forget_place(*place, state, space)?,
            Op::Alloc { dst, size, zero, .. } => {
                let size = self.size(*size, state, space)?;
                let fill = zero.then(|| Fill::Byte(t.bv(0, 8)));
                let address = self.allocate(site, size.term, fill, state, space);
                t.or([size.bad, self.write(*dst, address, state, space)?])
            }
            Op::Realloc { dst, ptr, size } => {
                let old = value(*ptr, state, space)?;
                let size = self.size(*size, state, space)?;
                // How much of the old content is kept depends on sizes that are not known.
                self.free(old.term, state);
                let address = self.allocate(site, size.term, None, state, space);
                t.or([old.bad, size.bad, self.write(*dst, address, state, space)?])
            }
            Op::Free(e) => {
                let pointer = value(*e, state, space)?;
                self.free(pointer.term, state);
                pointer.bad
            }
            Op::MemSet { dst, byte, len } => {
                let (to, byte) = (value(*dst, state, space)?, value(*byte, state, space)?);
                let len = self.size(*len, state, space)?;
                let low = t.extract(7, 0, byte.term);
                self.fill(to.term, len.term, Fill::Byte(low), state, space);
                t.or([to.bad, byte.bad, len.bad])
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (to, from) = (value(*dst, state, space)?, value(*src, state, space)?);
                let len = self.size(*len, state, space)?;
                self.copy(to.term, from.term, len.term, state, space);
                t.or([to.bad, from.bad, len.bad])
            }
            Op::Output(output) => {
                // What is printed into a buffer may be long.
                if output.buffer().is_some() {
                    state.0[MEM] = space.any_memory();
                }
                match output.ret {
                    Some(place) => self.forget_place(place, state, space)?,
                    None => t.fls(),
                }
            }
            Op::Unsupported(_) | Op::Deeper(_) => {
                self.forget(state, space);
                t.fls()
            }
            // Expanded programs have no calls.
            Op::Call(_) => return Err(NotTranslatable::Functions),
        };
        Ok(t.not(bad))
    }

    /// An operation that is not modelled: values and bytes are arbitrary. Where objects lie it does not change.
    fn forget(&self, state: &mut State, space: &mut Space) {
        state.0[MEM] = space.any_memory();
        for home in &self.layout.homes {
            if let super::layout::Home::Plain(part) = *home {
                state.0[part] = self.terms.fresh("any", self.layout.sort(part));
            }
        }
    }

    /// An integer as the count of bytes that C makes of it.
    fn size(&self, e: ExprId, state: &State, space: &mut Space) -> Result<Value, NotTranslatable> {
        let value = Eval::new(self, state, space).expr(e)?;
        let from = self.program.types.as_word(self.program.exprs.ty(e)).unwrap_or(IntTy::new(1, false));
        Ok(Value { term: super::eval::convert(&self.terms, value.term, from, self.width()), ..value })
    }

    // Writing. Each tells when it is undefined.

    fn assign(
        &self,
        place: PlaceId,
        e: ExprId,
        state: &mut State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        let t = &self.terms;
        let ty = self.program.exprs.place(place).ty;
        if !self.program.types.is_aggregate(ty) {
            let value = Eval::new(self, state, space).expr(e)?;
            return Ok(t.or([value.bad, self.write(place, value.term, state, space)?]));
        }
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let Spot::Memory(to) = Eval::new(self, state, space).spot(place)? else { return Ok(t.fls()) };
        if size == 0 {
            return Ok(to.bad);
        }
        let mut bad = Eval::new(self, state, space).strays(&to, size);
        let len = space.address(size);
        let mut e = e;
        while let ExprKind::Cast(inner) = *self.program.exprs.kind(e) {
            e = inner;
        }
        match self.program.exprs.kind(e) {
            ExprKind::Read(source) => {
                if let Spot::Memory(from) = Eval::new(self, state, space).spot(*source)? {
                    bad = t.or([bad, Eval::new(self, state, space).strays(&from, size)]);
                    self.copy(to.term, from.term, len, state, space);
                }
            }
            ExprKind::Const(Const::Zero) => {
                self.fill(to.term, len, Fill::Byte(t.bv(0, 8)), state, space);
            }
            ExprKind::Const(Const::Bytes(bytes)) => {
                self.fill(to.term, len, Fill::Byte(t.bv(0, 8)), state, space);
                for (i, byte) in (0..size).zip(bytes.iter()).filter(|(_, byte)| **byte != 0) {
                    let at = space.plus(to.term, i);
                    state.0[MEM] = t.store(state.0[MEM], at, t.bv(i64::from(*byte), 8));
                }
            }
            _ => self.fill_arbitrary(to.term, len, state, space),
        }
        Ok(bad)
    }

    fn write(
        &self,
        place: PlaceId,
        value: TermId,
        state: &mut State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        match Eval::new(self, state, space).spot(place)? {
            Spot::Part(part) => {
                state.0[part] = value;
                Ok(self.terms.fls())
            }
            Spot::Memory(at) => self.store(&at, self.program.exprs.place(place).ty, value, state, space),
        }
    }

    fn store(
        &self,
        at: &Address,
        ty: TypeId,
        value: TermId,
        state: &mut State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        let t = &self.terms;
        let Shape::Bits(width, bytes) = shape(self.program, ty)? else {
            return Err(NotTranslatable::OpaqueValues);
        };
        let (bytes, low) = field_bytes(at.bit, width, bytes);
        let all = 8 * bytes as u32;
        let bad = Eval::new(self, state, space).strays(at, bytes);
        let mut whole = value;
        if at.bit.is_none() {
            whole = t.zero_ext(all - width, value);
        } else if width < all {
            // The bits around a bit-field stay.
            let old = space.word(state.0[MEM], at.term, bytes);
            let high = low + width;
            if low > 0 {
                whole = t.concat(whole, t.extract(low - 1, 0, old));
            }
            if high < all {
                whole = t.concat(t.extract(all - 1, high, old), whole);
            }
        }
        state.0[MEM] = space.with_word(state.0[MEM], at.term, whole);
        Ok(bad)
    }

    fn forget_place(
        &self,
        place: PlaceId,
        state: &mut State,
        space: &mut Space,
    ) -> Result<TermId, NotTranslatable> {
        let ty = self.program.exprs.place(place).ty;
        if !self.program.types.is_aggregate(ty) {
            let value = self.terms.fresh("any", shape(self.program, ty)?.sort());
            return self.write(place, value, state, space);
        }
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let Spot::Memory(to) = Eval::new(self, state, space).spot(place)? else {
            return Ok(self.terms.fls());
        };
        if size == 0 {
            return Ok(to.bad);
        }
        let bad = Eval::new(self, state, space).strays(&to, size);
        self.fill_arbitrary(to.term, space.address(size), state, space);
        Ok(bad)
    }

    // Ranges of bytes.

    fn short(&self, len: TermId) -> Option<u64> {
        let (_, n) = self.terms.bv_number(len)?;
        u64::try_from(&n).ok().filter(|n| *n <= SHORT)
    }

    fn fill(&self, to: TermId, len: TermId, fill: Fill, state: &mut State, space: &mut Space) {
        state.0[MEM] = match (self.short(len), fill) {
            (Some(n), Fill::Byte(byte)) => {
                (0..n).fold(state.0[MEM], |memory, i| self.terms.store(memory, space.plus(to, i), byte))
            }
            _ => space.with_range(state.0[MEM], to, len, fill),
        };
    }

    fn fill_arbitrary(&self, to: TermId, len: TermId, state: &mut State, space: &mut Space) {
        let content = space.any_memory();
        self.fill(to, len, Fill::Arbitrary(content), state, space);
    }

    /// All is read before anything is written.
    fn copy(&self, to: TermId, from: TermId, len: TermId, state: &mut State, space: &mut Space) {
        let memory = state.0[MEM];
        state.0[MEM] = match self.short(len) {
            Some(n) => {
                let read = |i| (space.plus(to, i), space.plus(from, i));
                let places: Vec<(TermId, TermId)> = (0..n).map(read).collect();
                let bytes: Vec<TermId> = places.iter().map(|(_, from)| space.byte(memory, *from)).collect();
                let written = places.iter().zip(bytes);
                written.fold(memory, |memory, ((to, _), byte)| self.terms.store(memory, *to, byte))
            }
            None => space.with_range(memory, to, len, Fill::From { memory, start: from }),
        };
    }

    // Objects that come and go.

    /// The bytes of an object in a state.
    pub fn region(&self, object: ObjId, state: &State) -> Region {
        let t = &self.terms;
        let object = &self.layout.objects[object];
        let known = |size: u64| t.bv_big(size.into(), self.width());
        let (size, alive) = match object.kind {
            Kind::Site { size, alive, .. } => (object.size.map_or(state.0[size], known), state.0[alive]),
            Kind::Var(_) | Kind::Proc(_) => (known(object.size.unwrap_or(1)), t.tru()),
        };
        Region { base: state.0[object.base], size, alive, align: object.align }
    }

    /// All that may be alive in a call: its variables and those around it, and what was allocated.
    pub fn alive(&self, calls: CallString, state: &State) -> Vec<Region> {
        let variables = self.layout.alive_in(&self.program.calls, calls);
        let sites = self.layout.all_sites().map(|(id, _)| id);
        let regions = variables.into_iter().chain(sites).map(|object| self.region(object, state));
        regions.filter(|region| !self.terms.is_false(region.alive)).collect()
    }

    /// A fresh object, apart from all that is alive. The content is arbitrary unless `fill` says otherwise.
    fn allocate(
        &self,
        site: Site,
        size: TermId,
        fill: Option<Fill>,
        state: &mut State,
        space: &mut Space,
    ) -> TermId {
        let t = &self.terms;
        let base = t.fresh("allocated", Sort::BitVec(self.width()));
        if let Some(object) = self.layout.site(site.edge, site.calls) {
            let others = self.alive(site.calls, state);
            let object = &self.layout.objects[object];
            let region = Region { base, size, alive: t.tru(), align: object.align };
            space.bear(site.guard, vec![region], others.into());
            if let Kind::Site { size: kept, alive, .. } = object.kind {
                state.0[object.base] = base;
                state.0[kept] = size;
                state.0[alive] = t.tru();
            }
        }
        match fill {
            Some(fill) => self.fill(base, size, fill, state, space),
            None => self.fill_arbitrary(base, size, state, space),
        }
        base
    }

    fn free(&self, pointer: TermId, state: &mut State) {
        let t = &self.terms;
        for (_, object) in self.layout.all_sites() {
            if let Kind::Site { alive, .. } = object.kind {
                let other = t.distinct(pointer, state.0[object.base]);
                state.0[alive] = t.and([state.0[alive], other]);
            }
        }
    }

    /// Control enters a call: its variables get addresses.
    pub fn enter(&self, calls: CallString, guard: TermId, state: &mut State, space: &mut Space) {
        let own = self.layout.of_call(calls);
        if own.is_empty() {
            return;
        }
        let outer = self.program.calls.pop(calls).map_or(calls, |(outer, _)| outer);
        let others: Rc<[Region]> = self.alive(outer, state).into();
        for &object in own {
            let part = self.layout.objects[object].base;
            state.0[part] = self.terms.fresh(self.layout.name(part), Sort::BitVec(self.width()));
        }
        let new = own.iter().map(|&object| self.region(object, state)).collect();
        space.bear(guard, new, others);
    }

    /// Control leaves a call: what it allocated on the stack is gone.
    pub fn leave(&self, calls: CallString, state: &mut State) {
        for (_, object) in self.layout.all_sites() {
            if let Kind::Site { stack: true, alive, .. } = object.kind
                && within(&self.program.calls, object.calls, calls)
            {
                state.0[alive] = self.terms.fls();
            }
        }
    }
}

/// Is the one call the other, or inside of it?
fn within(strings: &craig_cfa::CallStrings, mut inner: CallString, outer: CallString) -> bool {
    loop {
        if inner == outer {
            return true;
        }
        match strings.pop(inner) {
            Some((around, _)) => inner = around,
            None => return false,
        }
    }
}
