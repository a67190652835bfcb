//! Replays a trace in terms of the analysis.

use super::Counted;
use super::probe::{Probe, Probed};
use craig_cfa::interp::{Step, Trace, Value};
use craig_cfa::{ExprKind, Op, PlaceId, Program, VarId};
use craig_encode::memory::{
    Candidate, CellId, CellKind, Covered, Dim, Layout, LeafAccess, ObjectId, ObjectKind, Otherwise,
    RangeAccess, Stretch,
};
use std::collections::{BTreeMap, HashMap};

/// Where a leaf of a cell is: its own address in arrays.
type Slot = (CellId, Option<u64>);

struct Shadow<'a> {
    program: &'a Program,
    layout: &'a Layout,
    /// Concrete objects by address: size, abstract object.
    objects: BTreeMap<u64, (u64, ObjectId)>,
    values: HashMap<Slot, u128>,
    seen: &'a mut Counted,
}

/// Elements of a leaf that are looked at one by one.
const MOST: u64 = 1 << 14;

pub fn replay(
    program: &Program,
    layout: &Layout,
    probed: &Probed,
    trace: &Trace,
    finished: bool,
    seen: &mut Counted,
) -> Result<(), String> {
    assert_eq!(trace.dropped, 0);
    let mut shadow = Shadow { program, layout, objects: BTreeMap::new(), values: HashMap::new(), seen };
    let mut addresses: HashMap<PlaceId, u64> = HashMap::new();
    let mut numbers: HashMap<craig_cfa::ExprId, u64> = HashMap::new();
    let mut pending: Vec<(PlaceId, u64, Option<u128>)> = Vec::new();
    let steps: Vec<&Step> = trace.steps.iter().collect();
    let mut last = None;
    for (i, step) in steps.iter().enumerate() {
        let value = || match step.writes.first().map(|w| &w.value) {
            Some(Value::Bits(v)) => Some(*v),
            _ => None,
        };
        match probed.probes.get(&step.edge) {
            Some(Probe::Base(var)) => shadow.variable(*var, value().unwrap_or(0) as u64),
            Some(Probe::Address(place)) => {
                last = value().filter(|a| *a != 0).map(|a| (*place, a as u64));
                if let Some((place, address)) = last {
                    addresses.insert(place, address);
                    pending.push((place, address, None));
                }
            }
            Some(Probe::Value) => {
                if let (Some((place, address)), Some(v)) = (last, value()) {
                    pending.pop();
                    pending.push((place, address, Some(v)));
                }
            }
            Some(Probe::Pointer(e) | Probe::Number(e)) => {
                numbers.insert(*e, value().unwrap_or(0) as u64);
            }
            None => {
                // The last step of a run with undefined behaviour did not happen.
                if i + 1 == steps.len() && !finished {
                    break;
                }
                for (place, address, v) in pending.drain(..) {
                    if !program.types.is_aggregate(program.exprs.place(place).ty) {
                        shadow.hit(place, address)?;
                        if let Some(v) = v {
                            shadow.read(place, address, v)?;
                        }
                    }
                }
                let edge = &program.edges[step.edge];
                let from_calls = step.depth;
                shadow.operation(&edge.op, edge, step, &addresses, &numbers)?;
                if steps.get(i + 1).is_some_and(|s| s.depth != from_calls) {
                    shadow.forget_frames();
                }
            }
        }
    }
    Ok(())
}

impl Shadow<'_> {
    fn variable(&mut self, var: VarId, start: u64) {
        let size = self.program.types.size_of(self.program.vars[var].ty).unwrap_or(0);
        let object = self.layout.var_object(var);
        // Those of other frames have other addresses.
        self.objects.insert(start, (size, object));
    }

    /// The object and offset at a concrete address.
    fn locate(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (&start, &(size, object)) = self.objects.range(..=address).next_back()?;
        (address - start < size.max(1)).then_some((object, address - start))
    }

    /// The address that formulas have for a concrete one.
    fn model(&self, address: u64) -> u64 {
        match self.locate(address) {
            Some((object, offset)) => match self.layout.object_base(object) {
                Some(base) => base.plus(offset).offset,
                None => address + (1 << 50),
            },
            None => address + (1 << 51),
        }
    }

    /// The candidates must cover what is accessed.
    fn hit(&mut self, place: PlaceId, address: u64) -> Result<(), String> {
        let Some((object, offset)) = self.locate(address) else {
            return Ok(());
        };
        self.seen.accesses += 1;
        let normal = self.layout.normal_offset(object, offset);
        let access = self.layout.access(place);
        let covered = access.candidates.iter().any(|c| {
            let cell = &self.layout.cells()[c.cell];
            cell.leaves.contains(&(object, normal))
                && c.address
                    .is_none_or(|a| self.layout.object_base(object).map(|base| base.plus(offset)) == Some(a))
        });
        if covered {
            return Ok(());
        }
        let name = &self.layout.objects()[object].name;
        Err(format!(
            "place {} hits {name}+{offset} (normal {normal}), its candidates: {access:?}",
            place.index()
        ))
    }

    /// Where a value is kept. Bytes are not followed here.
    fn slot(&self, candidates: &[Candidate], exact: bool, address: u64) -> Option<Slot> {
        let address = self.model(address);
        let slot = |cell: CellId| match self.layout.cells()[cell].kind {
            CellKind::Scalar { .. } => Some((cell, None)),
            CellKind::Array => Some((cell, Some(address))),
            CellKind::Bytes => None,
        };
        if exact {
            return slot(candidates[0].cell);
        }
        if let Some(c) = candidates.iter().find(|c| c.address.map(|a| a.offset) == Some(address)) {
            return slot(c.cell);
        }
        match self.layout.otherwise(candidates) {
            Otherwise::Among(told, last) => {
                let within = |r: &Stretch| (r.start.offset..r.start.offset + r.len).contains(&address);
                let here = |ranges: &[Stretch]| ranges.iter().any(within);
                told.iter().find(|(_, ranges)| here(ranges)).map(|(cell, _)| *cell).or(last).and_then(slot)
            }
            Otherwise::Unclear(_) | Otherwise::Nothing => None,
        }
    }

    fn read(&mut self, place: PlaceId, address: u64, v: u128) -> Result<(), String> {
        if self.locate(address).is_none() {
            return Ok(());
        }
        let access = self.layout.access(place);
        let Some(slot) = self.slot(access.candidates, access.exact, address) else { return Ok(()) };
        match self.values.insert(slot, v) {
            Some(old) if old != v => Err(format!(
                "place {} at {address:#x} reads {v:#x}, the cell {} has {old:#x}",
                place.index(),
                self.layout.cells()[slot.0].name
            )),
            old => {
                self.seen.known += usize::from(old.is_some());
                Ok(())
            }
        }
    }

    /// Where a write goes; an array beside bytes is written too.
    fn write(&mut self, candidates: &[Candidate], exact: bool, address: u64, v: Option<u128>) {
        let slot = self.slot(candidates, exact, address).or_else(|| {
            let at = self.model(address);
            let Otherwise::Unclear(cells) = self.layout.otherwise(candidates) else { return None };
            let array = cells.into_iter().find(|c| self.layout.cells()[*c].kind == CellKind::Array)?;
            candidates.iter().all(|c| c.address.map(|a| a.offset) != Some(at)).then_some((array, Some(at)))
        });
        match (slot, v) {
            (Some(slot), Some(v)) => {
                self.values.insert(slot, v);
            }
            (Some(slot), None) => {
                self.values.remove(&slot);
            }
            (None, _) => {}
        }
    }

    fn operation(
        &mut self,
        op: &Op,
        edge: &craig_cfa::Edge,
        step: &Step,
        addresses: &HashMap<PlaceId, u64>,
        numbers: &HashMap<craig_cfa::ExprId, u64>,
    ) -> Result<(), String> {
        let number = |e: &craig_cfa::ExprId| numbers.get(e).copied().unwrap_or(0);
        let address = |p: &PlaceId| addresses.get(p).copied().unwrap_or(0);
        let written = match step.writes.first().map(|w| &w.value) {
            Some(Value::Bits(v)) => Some(*v),
            _ => None,
        };
        let aggregate = |p: &PlaceId| self.program.types.is_aggregate(self.program.exprs.place(*p).ty);
        match op {
            Op::Assign(p, e) if aggregate(p) => {
                let copied = match *self.program.exprs.kind(*e) {
                    ExprKind::Read(from) => Some(from),
                    _ => None,
                };
                match copied {
                    Some(from) => {
                        let leaves = self.layout.copy(*p, from);
                        self.copy(&leaves, address(p), address(&from));
                    }
                    None => self.forget(&self.layout.leaves(*p), address(p)),
                }
            }
            Op::Havoc(p, _) if aggregate(p) => self.forget(&self.layout.leaves(*p), address(p)),
            Op::Assign(p, _) | Op::Havoc(p, _) => self.store(*p, address(p), written),
            Op::Alloc { dst, size, .. } | Op::Realloc { dst, size, .. } => {
                let object = self
                    .layout
                    .alloc_object(edge.origin, edge.calls)
                    .ok_or_else(|| "an allocation without object".to_string())?;
                let start = written.unwrap_or(0) as u64;
                if self.layout.object_base(object).is_some() {
                    // It exists once, but may be made again by another run over it: that would be a mistake.
                    if self.objects.values().any(|(_, o)| *o == object) {
                        return Err(format!("{} is made twice", self.layout.objects()[object].name));
                    }
                }
                self.objects.insert(start, (number(size), object));
                if matches!(op, Op::Realloc { .. }) {
                    // The new content may be known of the old one.
                    self.forget(&self.layout.object_leaves(object), start);
                }
                self.store(*dst, address(dst), written);
            }
            Op::MemSet { dst, len, .. } if number(len) > 0 => {
                match self.layout.range(*dst, self.layout.known_length(*len)) {
                    RangeAccess::Leaves(leaves) => self.forget(&leaves, number(dst)),
                    RangeAccess::Cells { cells, .. } => self.forget_cells(&cells),
                }
            }
            Op::MemCopy { dst, src, len, .. } => match self.layout.known_length(*len) {
                Some(len) => {
                    let leaves = self.layout.copy_range(*dst, *src, len);
                    self.copy(&leaves, number(dst), number(src));
                }
                None => {
                    if let RangeAccess::Cells { cells, .. } = self.layout.range(*dst, None) {
                        self.forget_cells(&cells);
                    }
                }
            },
            Op::Output(output) => {
                if let Some(buffer) = output.buffer()
                    && let RangeAccess::Cells { cells, .. } = self.layout.range(buffer, None)
                {
                    self.forget_cells(&cells);
                }
                if let Some(p) = output.ret {
                    self.store(p, address(&p), written);
                }
            }
            Op::Assume(_) if self.layout.misleads(self.program, op) => {
                return Err("a pointer leads to a procedure that it should not lead to".into());
            }
            // Parameters and results are stored where no probe looks.
            Op::Call(_) | Op::Return(_) => self.values.clear(),
            _ => {}
        }
        Ok(())
    }

    fn store(&mut self, place: PlaceId, address: u64, v: Option<u128>) {
        let access = self.layout.access(place);
        if access.exact || self.locate(address).is_some() {
            self.write(access.candidates, access.exact, address, v);
        }
    }

    /// Every address of a leaf in a range that begins at an address.
    fn addresses(leaf: &LeafAccess, start: u64) -> Option<Vec<u64>> {
        let mut all = vec![start.wrapping_add(leaf.offset)];
        for Dim { stride, count } in &leaf.dims {
            let count = (*count)?;
            if count.saturating_mul(all.len() as u64) > MOST {
                return None;
            }
            all = all.iter().flat_map(|a| (0..count).map(move |i| a.wrapping_add(i * stride))).collect();
        }
        Some(all)
    }

    fn forget(&mut self, leaves: &[LeafAccess], start: u64) {
        for leaf in leaves {
            match Self::addresses(leaf, start).filter(|_| leaf.covered == Covered::Whole) {
                Some(all) => {
                    for address in all {
                        self.write(&leaf.candidates, leaf.exact && leaf.dims.is_empty(), address, None);
                    }
                }
                None => {
                    let cells: Vec<CellId> = leaf.candidates.iter().map(|c| c.cell).collect();
                    self.forget_cells(&cells);
                }
            }
        }
    }

    fn copy(&mut self, leaves: &[craig_encode::memory::CopyLeaf], dst: u64, src: u64) {
        let mut writes = Vec::new();
        for leaf in leaves {
            let to = Self::addresses(&leaf.to, dst);
            let from = match &leaf.from[..] {
                [f] if leaf.to.covered == Covered::Whole => Self::addresses(f, src).map(|a| (f, a)),
                _ => None,
            };
            match (to, from) {
                (Some(to), Some((access, from))) if to.len() == from.len() => {
                    for (to, from) in to.into_iter().zip(from) {
                        let exact = access.exact && access.dims.is_empty();
                        let slot = self.slot(&access.candidates, exact, from);
                        let v = slot.and_then(|s| self.values.get(&s).copied());
                        writes.push((&leaf.to, to, v));
                    }
                }
                _ => self.forget(std::slice::from_ref(&leaf.to), dst),
            }
        }
        for (leaf, address, v) in writes {
            self.write(&leaf.candidates, leaf.exact && leaf.dims.is_empty(), address, v);
        }
    }

    fn forget_cells(&mut self, cells: &[CellId]) {
        self.values.retain(|(cell, _), _| !cells.contains(cell));
    }

    /// Locals of a procedure that is called are others in each frame.
    fn forget_frames(&mut self) {
        let entry = self.program.entry;
        let (memory, program) = (self.layout, self.program);
        self.values.retain(|(cell, _), _| {
            memory.cells()[*cell].leaves.iter().all(|(o, _)| match memory.objects()[*o].kind {
                ObjectKind::Var(v) => program.vars[v].proc.is_none_or(|p| p == entry),
                _ => true,
            })
        });
    }
}
