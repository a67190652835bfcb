//! `printf` and its family: text goes to the writer of the run, whatever the stream.

use super::code::Class;
use super::end::{R, RunEnd, Undefined, internal, undefined, unsupported};
use super::float;
use super::format::{Length, Padding, Size, Spec, parse};
use super::machine::Machine;
use super::place::Addr;
use super::value::Value;
use crate::arith;
use crate::expr::ExprId;
use crate::program::Output;
use crate::types::{DataModel, IntTy, RecordId, Type, TypeId};

/// Where the arguments of a format come from.
enum Args {
    Given(std::vec::IntoIter<(TypeId, Value)>),
    /// A row of slots: see [`Output::args`].
    List {
        next: u64,
        slot: RecordId,
    },
}

/// Widths beyond this are not printed.
const MAX_WIDTH: usize = 1 << 20;

impl Machine<'_, '_> {
    pub fn output(&mut self, output: &Output) -> R<()> {
        let name = output.function.strip_prefix("__builtin_").unwrap_or(&output.function);
        let name = name.strip_suffix("_unlocked").unwrap_or(name);
        let args = &output.args;
        let result = match name {
            "printf" => self.print(args, 0)?,
            "fprintf" | "dprintf" => self.print(args, 1)?,
            "vprintf" => self.print_list(args, 0)?,
            "vfprintf" | "vdprintf" => self.print_list(args, 1)?,
            "sprintf" | "vsprintf" => {
                let text = self.formatted(args, 1, name.starts_with('v'))?;
                let dst = self.argument(args, 0)? as u64;
                self.store_text(dst, &text)?;
                text.len() as i128
            }
            "snprintf" | "vsnprintf" => {
                let text = self.formatted(args, 2, name.starts_with('v'))?;
                let dst = self.argument(args, 0)? as u64;
                let room = self.argument(args, 1)? as u64;
                if room > 0 {
                    let kept = text.len().min(usize::try_from(room - 1).unwrap_or(usize::MAX));
                    self.store_text(dst, &text[..kept])?;
                }
                text.len() as i128
            }
            "puts" => {
                let addr = self.argument(args, 0)? as u64;
                let mut text = self.string(addr, None)?;
                text.push(b'\n');
                self.emit(&text)?;
                text.len() as i128
            }
            "fputs" => {
                let addr = self.argument(args, 0)? as u64;
                let text = self.string(addr, None)?;
                self.emit(&text)?;
                1
            }
            "putchar" | "fputc" | "putc" => {
                let byte = self.argument(args, 0)? as u8;
                self.emit(&[byte])?;
                i128::from(byte)
            }
            "fwrite" => {
                let (addr, size, count) = (
                    self.argument(args, 0)? as u64,
                    self.argument(args, 1)? as u64,
                    self.argument(args, 2)? as u64,
                );
                let mut bytes = Vec::new();
                self.load_bytes(pointer(addr), size.saturating_mul(count), &mut bytes)?;
                self.emit(&bytes)?;
                i128::from(count)
            }
            "perror" | "fflush" | "setvbuf" | "setbuf" | "fclose" => {
                for &arg in args {
                    self.eval_value(arg)?;
                }
                0
            }
            other => return unsupported(format!("output function `{other}`")),
        };
        let Some(ret) = output.ret else { return Ok(()) };
        match self.code.class[self.p.exprs.place(ret).ty] {
            Class::Word(int) => self.write_bits(ret, arith::truncate(result.cast_unsigned(), int)),
            _ => internal("the result of an output function is an integer"),
        }
    }

    fn argument(&mut self, args: &[ExprId], index: usize) -> R<u128> {
        match args.get(index) {
            Some(&e) => self.eval_bits(e),
            None => internal("an output function with too few arguments"),
        }
    }

    fn emit(&mut self, text: &[u8]) -> R<()> {
        self.out.write_all(text).map_err(|e| Box::new(RunEnd::Output(e.to_string())))
    }

    fn print(&mut self, args: &[ExprId], format: usize) -> R<i128> {
        let text = self.formatted(args, format, false)?;
        self.emit(&text)?;
        Ok(text.len() as i128)
    }

    fn print_list(&mut self, args: &[ExprId], format: usize) -> R<i128> {
        let text = self.formatted(args, format, true)?;
        self.emit(&text)?;
        Ok(text.len() as i128)
    }

    fn store_text(&mut self, dst: u64, text: &[u8]) -> R<()> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.store_bytes(pointer(dst), &bytes)
    }

    /// The string at an address, without its end; at most `limit` bytes are read.
    fn string(&mut self, addr: u64, limit: Option<usize>) -> R<Vec<u8>> {
        let mut text = Vec::new();
        while limit.is_none_or(|l| text.len() < l) {
            let at = pointer(self.pointer_wrap(i128::from(addr) + text.len() as i128));
            self.load_bytes(at, 1, &mut text)?;
            if text.last() == Some(&0) {
                text.pop();
                break;
            }
        }
        Ok(text)
    }

    /// The text of a format whose position among the arguments is given; its arguments follow, or a `va_list` does.
    fn formatted(&mut self, args: &[ExprId], format: usize, list: bool) -> R<Vec<u8>> {
        let format_addr = self.argument(args, format)? as u64;
        let format_text = self.string(format_addr, None)?;
        let rest = args.get(format + 1..).unwrap_or(&[]);
        let mut args = if list {
            match rest {
                [list] => self.listed(*list)?,
                _ => return internal("an output function without its list of arguments"),
            }
        } else {
            let mut values = Vec::with_capacity(rest.len());
            for &e in rest {
                values.push((self.p.exprs.ty(e), self.eval_value(e)?));
            }
            Args::Given(values.into_iter())
        };
        let mut out = Vec::new();
        let mut at = 0;
        while at < format_text.len() {
            if format_text[at] != b'%' {
                out.push(format_text[at]);
                at += 1;
                continue;
            }
            let Some((spec, taken)) = parse(&format_text[at + 1..]) else {
                return undefined(
                    Undefined::Format,
                    format!("{:?}", String::from_utf8_lossy(&format_text[at..])),
                );
            };
            at += 1 + taken;
            self.convert(&spec, &mut args, &mut out)?;
        }
        Ok(out)
    }

    fn take(&mut self, args: &mut Args) -> R<(TypeId, Value)> {
        match args {
            Args::List { next, slot } => {
                let (ty, value, size) = self.in_slot(*next, *slot)?;
                *next = self.pointer_wrap(i128::from(*next) + i128::from(size));
                Ok((ty, value))
            }
            Args::Given(values) => match values.next() {
                Some(v) => Ok(v),
                None => undefined(Undefined::Format, "more conversions than arguments"),
            },
        }
    }

    fn listed(&mut self, list: ExprId) -> R<Args> {
        let slot = self.p.types.pointee(self.p.exprs.ty(list)).map(|slot| self.p.types.get(slot));
        match slot {
            Some(&Type::Record(slot)) => Ok(Args::List { next: self.eval_bits(list)? as u64, slot }),
            _ => internal("a list of arguments that is no pointer to slots"),
        }
    }

    /// The argument in a slot, and the size of the slot.
    fn in_slot(&mut self, addr: u64, slot: RecordId) -> R<(TypeId, Value, u64)> {
        let record = &self.p.types.records[slot];
        let kind = self.number(addr, 4)? as usize;
        let Some(member) = record.fields.get(kind).filter(|_| kind > 0) else {
            return undefined(Undefined::Format, "more conversions than arguments");
        };
        let value = match self.code.class[member.ty] {
            Class::Word(_) | Class::Float(_) => {
                Value::Bits(self.number(addr + member.offset, self.code.size[member.ty])?)
            }
            _ => return undefined(Undefined::Format, "an argument that is no number"),
        };
        Ok((member.ty, value, record.size))
    }

    /// So many bytes as a number.
    fn number(&mut self, addr: u64, size: u64) -> R<u128> {
        let mut bytes = Vec::new();
        self.load_bytes(pointer(addr), size, &mut bytes)?;
        Ok(bytes.iter().rev().fold(0, |v, b| v << 8 | u128::from(*b)))
    }

    /// The next argument as a word with its type.
    fn take_word(&mut self, args: &mut Args) -> R<(u128, IntTy)> {
        let (ty, value) = self.take(args)?;
        match (self.code.class[ty], value) {
            (Class::Word(int), Value::Bits(v)) => Ok((v, int)),
            (Class::Bool, Value::Bits(v)) => Ok((v, IntTy::new(32, true))),
            _ => undefined(Undefined::Format, "an argument that is no integer"),
        }
    }

    fn take_size(&mut self, args: &mut Args, size: Size) -> R<i128> {
        let n = match size {
            Size::Is(n) => n as i128,
            Size::Argument => {
                let (v, int) = self.take_word(args)?;
                arith::to_i128(v, int)
            }
        };
        if n.unsigned_abs() > MAX_WIDTH as u128 {
            return unsupported("printf with a huge width or precision");
        }
        Ok(n)
    }

    fn convert(&mut self, spec: &Spec, args: &mut Args, out: &mut Vec<u8>) -> R<()> {
        let width = self.take_size(args, spec.width)?;
        let precision = match spec.precision {
            // A negative precision counts as none.
            Some(size) => usize::try_from(self.take_size(args, size)?).ok(),
            None => None,
        };
        let layout = Padding {
            left: spec.left || width < 0,
            plus: spec.plus,
            space: spec.space,
            alt: spec.alt,
            zero: spec.zero,
            width: width.unsigned_abs() as usize,
            precision,
        };
        match spec.conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let (v, from) = self.take_word(args)?;
                let signed = matches!(spec.conversion, b'd' | b'i');
                let int = IntTy::new(self.length_bits(spec.length), signed);
                let v = arith::to_i128(arith::convert(v, from, int), int);
                layout.integer(out, spec.conversion, v < 0, v.unsigned_abs());
            }
            b'c' if spec.length == Length::None => {
                let (v, _) = self.take_word(args)?;
                layout.text(out, &[v as u8]);
            }
            b's' if spec.length == Length::None => {
                let (v, _) = self.take_word(args)?;
                let text = if v == 0 && precision.is_none_or(|p| p >= 6) {
                    b"(null)".to_vec()
                } else {
                    self.string(v as u64, precision)?
                };
                layout.text(out, &text);
            }
            b'p' => {
                let (v, _) = self.take_word(args)?;
                layout.pointer(out, v as u64);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let (ty, value) = self.take(args)?;
                let (Class::Float(f), Value::Bits(v)) = (self.code.class[ty], value) else {
                    return undefined(Undefined::Format, "an argument that is no float");
                };
                let Some(v) = float::to_f64(v, f) else { return unsupported("printf of a long double") };
                layout.float(out, spec.conversion, v);
            }
            b'n' | b'a' | b'A' | b'm' | b'c' | b's' => {
                return unsupported(format!("printf conversion `{}`", spec.conversion as char));
            }
            other => return undefined(Undefined::Format, format!("conversion `{}`", other.escape_ascii())),
        }
        Ok(())
    }

    fn length_bits(&self, length: Length) -> u16 {
        match length {
            Length::Hh => 8,
            Length::H => 16,
            Length::None => 32,
            Length::Ll | Length::LongDouble => 64,
            Length::L | Length::Pointer => match self.p.types.model {
                DataModel::Ilp32 => 32,
                DataModel::Lp64 => 64,
            },
        }
    }
}

fn pointer(addr: u64) -> Addr {
    Addr { addr, bit: None, base: None }
}
