//! The conversions of `printf` (C11 7.21.6.1), on values that are already there.

/// One conversion specification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spec {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alt: bool,
    pub zero: bool,
    pub width: Size,
    pub precision: Option<Size>,
    pub length: Length,
    pub conversion: u8,
}

/// A width or precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Is(usize),
    /// `*`: taken from the arguments.
    Argument,
}

impl Default for Size {
    fn default() -> Self {
        Size::Is(0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Length {
    #[default]
    None,
    Hh,
    H,
    L,
    Ll,
    /// `z` and `t`.
    Pointer,
    LongDouble,
}

/// Reads the specification after a `%`; also how many bytes it took. `None` if the format ends inside or is none.
pub(super) fn parse(text: &[u8]) -> Option<(Spec, usize)> {
    let mut spec = Spec::default();
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alt = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        at += 1;
    }
    if let Some(size) = number(text, &mut at) {
        spec.width = size;
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        spec.precision = Some(number(text, &mut at).unwrap_or_default());
    }
    let rest = &text[at..];
    let (length, taken) = match rest {
        [b'h', b'h', ..] => (Length::Hh, 2),
        [b'h', ..] => (Length::H, 1),
        [b'l', b'l', ..] => (Length::Ll, 2),
        [b'l', ..] => (Length::L, 1),
        [b'j' | b'q', ..] => (Length::Ll, 1),
        [b'z' | b't', ..] => (Length::Pointer, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::None, 0),
    };
    spec.length = length;
    at += taken;
    spec.conversion = *text.get(at)?;
    Some((spec, at + 1))
}

fn number(text: &[u8], at: &mut usize) -> Option<Size> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Some(Size::Argument);
    }
    let mut n: Option<usize> = None;
    while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        n = Some(n.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        *at += 1;
    }
    n.map(Size::Is)
}

/// Flags with width and precision known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Padding {
    pub left: bool,
    pub plus: bool,
    pub space: bool,
    pub alt: bool,
    pub zero: bool,
    pub width: usize,
    pub precision: Option<usize>,
}

impl Padding {
    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// Pads to the width: `prefix` stays before the zeros.
    fn pad(&self, out: &mut Vec<u8>, prefix: &str, body: &[u8], zeros: bool) {
        let missing = self.width.saturating_sub(prefix.len() + body.len());
        let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
        if !self.left && !zeros {
            fill(out, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if !self.left && zeros {
            fill(out, b'0');
        }
        out.extend_from_slice(body);
        if self.left {
            fill(out, b' ');
        }
    }

    /// `%d %i %u %o %x %X`: sign and magnitude.
    pub fn integer(&self, out: &mut Vec<u8>, conversion: u8, negative: bool, magnitude: u128) {
        let mut digits = match conversion {
            b'o' => format!("{magnitude:o}"),
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        if magnitude == 0 && self.precision == Some(0) {
            digits.clear();
        }
        let wanted = self.precision.unwrap_or(1);
        if digits.len() < wanted {
            digits.insert_str(0, &"0".repeat(wanted - digits.len()));
        }
        let prefix = match conversion {
            b'd' | b'i' => self.sign(negative),
            b'x' if self.alt && magnitude != 0 => "0x",
            b'X' if self.alt && magnitude != 0 => "0X",
            _ => "",
        };
        if conversion == b'o' && self.alt && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        self.pad(out, prefix, digits.as_bytes(), self.zero && self.precision.is_none());
    }

    /// `%s %c`.
    pub fn text(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        self.pad(out, "", bytes, false);
    }

    /// `%p`, as glibc has it.
    pub fn pointer(&self, out: &mut Vec<u8>, addr: u64) {
        if addr == 0 {
            self.pad(out, "", b"(nil)", false);
        } else {
            self.pad(out, "0x", format!("{addr:x}").as_bytes(), self.zero);
        }
    }

    /// `%f %F %e %E %g %G`.
    pub fn float(&self, out: &mut Vec<u8>, conversion: u8, v: f64) {
        let upper = conversion.is_ascii_uppercase();
        let sign = self.sign(v.is_sign_negative());
        let magnitude = v.abs();
        if !magnitude.is_finite() {
            let text = if magnitude.is_nan() { "nan" } else { "inf" };
            let text = if upper { text.to_ascii_uppercase() } else { text.to_string() };
            self.pad(out, sign, text.as_bytes(), false);
            return;
        }
        let precision = self.precision.unwrap_or(6);
        let text = match conversion.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision, self.alt),
            b'e' => scientific(magnitude, precision, self.alt),
            _ => {
                let digits = precision.max(1);
                let exponent = exponent_of(magnitude, digits - 1);
                let text = if exponent >= -4 && exponent < digits as i64 {
                    fixed(magnitude, (digits as i64 - 1 - exponent) as usize, self.alt)
                } else {
                    scientific(magnitude, digits - 1, self.alt)
                };
                if self.alt { text } else { without_trailing_zeros(&text) }
            }
        };
        let text = if upper { text.to_ascii_uppercase() } else { text };
        self.pad(out, sign, text.as_bytes(), self.zero);
    }
}

fn fixed(v: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{v:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// Exponent that `%e` writes with so many digits after the point.
fn exponent_of(v: f64, precision: usize) -> i64 {
    let text = format!("{v:.precision$e}");
    text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
}

fn scientific(v: f64, precision: usize, point: bool) -> String {
    let text = format!("{v:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn without_trailing_zeros(text: &str) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    if !mantissa.contains('.') {
        return text.to_string();
    }
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(spec: &Spec) -> Padding {
        let known = |size| match size {
            Size::Is(n) => n,
            Size::Argument => 0,
        };
        Padding {
            left: spec.left,
            plus: spec.plus,
            space: spec.space,
            alt: spec.alt,
            zero: spec.zero,
            width: known(spec.width),
            precision: spec.precision.map(known),
        }
    }

    fn float(format: &str, v: f64) -> String {
        let (spec, taken) = parse(&format.as_bytes()[1..]).unwrap();
        assert_eq!(taken + 1, format.len());
        let mut out = Vec::new();
        layout(&spec).float(&mut out, spec.conversion, v);
        String::from_utf8(out).unwrap()
    }

    fn int(format: &str, v: i64) -> String {
        let (spec, taken) = parse(&format.as_bytes()[1..]).unwrap();
        assert_eq!(taken + 1, format.len());
        let mut out = Vec::new();
        layout(&spec).integer(&mut out, spec.conversion, v < 0, u128::from(v.unsigned_abs()));
        String::from_utf8(out).unwrap()
    }

    /// Expected texts are those of glibc.
    #[test]
    fn floats_print_as_in_c() {
        for (format, v, expected) in [
            ("%f", 3.5, "3.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.5, "2."),
            ("%+.2f", 1.005, "+1.00"),
            ("%08.2f", -3.14459, "-0003.14"),
            ("%-8.1f|", 2.0, "2.0     |"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.3E", 0.00012, "1.200E-04"),
            ("%g", 100000.0, "100000"),
            ("%g", 1000000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001234, "1.234e-05"),
            ("%g", 0.0, "0"),
            ("%#g", 1.5, "1.50000"),
            ("%.3g", 999.9, "1e+03"),
            ("%G", 1e-10, "1E-10"),
            ("%f", f64::INFINITY, "inf"),
            ("%6.1F", f64::NEG_INFINITY, "  -INF"),
            ("%e", 0.0, "0.000000e+00"),
            ("%f", -0.0, "-0.000000"),
        ] {
            let (format, tail) = format.split_once('|').map_or((format, ""), |(f, _)| (f, "|"));
            assert_eq!(float(format, v) + tail, expected, "{format} of {v}");
        }
    }

    #[test]
    fn integers_print_as_in_c() {
        for (format, v, expected) in [
            ("%d", -5, "-5"),
            ("%5d", 42, "   42"),
            ("%-5d", 42, "42   "),
            ("%05d", -42, "-0042"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%.3d", 7, "007"),
            ("%05.3d", 7, "  007"),
            ("%.0d", 0, ""),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%#x", 0, "0"),
            ("%#o", 8, "010"),
            ("%#.3o", 8, "010"),
            ("%08lx", 0xbeef, "0000beef"),
            ("%-+5d", 3, "+3   "),
        ] {
            assert_eq!(int(format, v), expected, "{format} of {v}");
        }
    }

    #[test]
    fn broken_formats_are_refused() {
        for text in ["", "-", "5", ".", "ll", "5.3l"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse(b"*.*d").unwrap().0.precision, Some(Size::Argument));
    }

    proptest! {
        #[test]
        fn decimal_and_hex_agree_with_rust(v in any::<i64>(), width in 0usize..30) {
            prop_assert_eq!(int(&format!("%{width}ld").replace("%0ld", "%ld"), v), format!("{v:width$}"));
            prop_assert_eq!(int(&format!("%0{width}ld"), v), format!("{v:0width$}"));
            let u = v.unsigned_abs() as i64;
            if u >= 0 {
                prop_assert_eq!(int("%lx", u), format!("{u:x}"));
            }
        }

        #[test]
        fn fixed_agrees_with_rust(v in -1e15f64..1e15, precision in 0usize..12, width in 0usize..30) {
            prop_assert_eq!(float(&format!("%{width}.{precision}f").replace("%0.", "%."), v), format!("{v:width$.precision$}"));
        }
    }
}
