//! One operation, those that change the control flow aside.

use super::Made;
use super::code::Class;
use super::end::{R, RunEnd, Undefined, internal, undefined, unsupported};
use super::machine::Machine;
use super::memory::{ObjId, Owner, State};
use super::place::{Access, Addr, Spot};
use super::watch::Thing;
use crate::expr::{ExprId, ExprKind, PlaceId};
use crate::program::{EdgeId, HEAP_ALIGN, Halt, Op};

impl Machine<'_, '_> {
    pub fn execute(&mut self, op: &Op, origin: EdgeId) -> R<()> {
        match op {
            Op::Skip => Ok(()),
            Op::Assign(place, e) => self.assign(*place, *e),
            Op::Havoc(place, why) => self.havoc(*place, why, origin),
            Op::Alloc { dst, size, zero, stack, .. } => {
                let size = self.eval_size(*size)?;
                let id = self.fresh(size, self.p.align_of_alloc(op), *zero, *stack, origin)?;
                self.write_bits(*dst, u128::from(self.mem.object(id).start))
            }
            Op::Realloc { dst, ptr, size } => self.realloc(*dst, *ptr, *size, origin),
            Op::Free(e) => {
                let addr = self.eval_bits(*e)? as u64;
                if addr == 0 {
                    return Ok(());
                }
                let id = self.heap_object(addr)?;
                self.mem.kill(id, State::Freed);
                Ok(())
            }
            Op::MemSet { dst, byte, len } => {
                let at = self.address(*dst)?;
                let byte = self.eval_bits(*byte)? as u8;
                let len = self.eval_size(*len)?;
                if len > 0 {
                    let (id, offset) = self.access(at, len, Access::Write)?;
                    self.mem.data_mut(id)[offset..offset + len as usize].fill(byte);
                }
                Ok(())
            }
            Op::MemCopy { dst, src, len, may_overlap } => {
                let (dst, src) = (self.address(*dst)?, self.address(*src)?);
                let len = self.eval_size(*len)?;
                // Copying an object onto itself is what compilers make of `x = x`.
                if !may_overlap && dst.addr != src.addr && dst.addr.abs_diff(src.addr) < len {
                    let text = format!("{len} bytes from {:#x} to {:#x}", src.addr, dst.addr);
                    return undefined(Undefined::OverlappingCopy, text);
                }
                self.copy(dst, src, len)
            }
            Op::Output(output) => self.output(output),
            Op::Halt(Halt::Exit(status)) => {
                let status = Some(self.eval_integer(*status)?);
                Err(Box::new(RunEnd::Ended { status }))
            }
            Op::Halt(Halt::Undefined(what)) => undefined(Undefined::Marked, (*what).to_string()),
            Op::Halt(Halt::Abort) => Err(Box::new(RunEnd::Aborted)),
            Op::Unsupported(construct) => unsupported(&**construct),
            Op::Deeper(_) => unsupported("a call that is not followed"),
            Op::Assume(_) | Op::Call(_) | Op::Return(_) => {
                internal("an operation of the control flow where none can be")
            }
        }
    }

    fn address(&mut self, e: ExprId) -> R<Addr> {
        Ok(Addr { addr: self.eval_bits(e)? as u64, bit: None, base: None })
    }

    fn assign(&mut self, place: PlaceId, e: ExprId) -> R<()> {
        let p = self.p;
        let ty = p.exprs.place(place).ty;
        match self.code.class[ty] {
            Class::Bytes => {
                if let ExprKind::Read(from) = p.exprs.kind(e) {
                    let (Spot::Memory(src), Spot::Memory(dst)) = (self.spot(*from)?, self.spot(place)?)
                    else {
                        return internal("an aggregate outside memory");
                    };
                    return self.copy(dst, src, self.code.size[ty]);
                }
                let value = self.eval_value(e)?;
                self.write_value(place, value)
            }
            Class::Math => {
                if !self.tracing && self.store_in_place(place, e)? {
                    return Ok(());
                }
                let value = self.eval_value(e)?;
                self.write_value(place, value)
            }
            _ => self.assign_bits(place, e),
        }
    }

    /// Overlap is allowed.
    fn copy(&mut self, dst: Addr, src: Addr, len: u64) -> R<()> {
        if len == 0 {
            return Ok(());
        }
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        self.load_bytes(src, len, &mut bytes)?;
        self.store_bytes(dst, &bytes)?;
        self.buffer = bytes;
        Ok(())
    }

    fn fresh(&mut self, size: u64, align: u64, zero: bool, stack: bool, origin: EdgeId) -> R<ObjId> {
        let occurrence = self.occurrence(origin);
        let wanted = self.wanted(Made::By(origin));
        let id = self.alloc(size, align, if stack { Owner::Stack } else { Owner::Heap }, wanted)?;
        self.name(id, |calls| Thing::Alloc(origin, calls));
        if stack {
            self.objects.push(id);
        }
        if !zero {
            self.mem.set_pending(id, origin, occurrence);
        }
        Ok(id)
    }

    /// The live object of the heap that begins at an address.
    fn heap_object(&mut self, addr: u64) -> R<ObjId> {
        let Some(id) = self.mem.near(addr) else {
            return undefined(Undefined::InvalidFree, format!("there is no object at {addr:#x}"));
        };
        let object = self.mem.object(id);
        let text = match (object.owner, object.state) {
            (Owner::Heap, State::Live) if object.start == addr => return Ok(id),
            (Owner::Heap, State::Live) => {
                format!(
                    "{addr:#x} is offset {} of an allocated object of {} bytes",
                    addr - object.start,
                    object.size
                )
            }
            (Owner::Heap, _) => format!("the object at {addr:#x} was freed before"),
            (Owner::Var(var), _) => format!("{addr:#x} is the address of `{}`", self.p.vars[var].name),
            (Owner::Stack, _) => format!("the object at {addr:#x} is on the stack"),
        };
        undefined(Undefined::InvalidFree, text)
    }

    fn realloc(&mut self, dst: PlaceId, ptr: ExprId, size: ExprId, origin: EdgeId) -> R<()> {
        let addr = self.eval_bits(ptr)? as u64;
        let size = self.eval_size(size)?;
        let old = if addr == 0 { None } else { Some(self.heap_object(addr)?) };
        let id = self.fresh(size, HEAP_ALIGN, false, false, origin)?;
        let start = self.mem.object(id).start;
        if let Some(old) = old {
            let kept = self.mem.object(old).size.min(size);
            self.copy(
                Addr { addr: start, bit: None, base: None },
                Addr { addr, bit: None, base: None },
                kept,
            )?;
            self.mem.kill(old, State::Freed);
        }
        self.write_bits(dst, u128::from(start))
    }
}
