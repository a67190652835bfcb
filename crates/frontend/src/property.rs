//! The property: which locations are errors.

use craig_base::Diagnostic;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Property {
    /// No property given: a call of `reach_error` or `__VERIFIER_error` and a failed `assert` are errors; in a program that
    /// calls no such function and has a label `ERROR`, reaching that label is.
    #[default]
    Default,
    /// A call of this function is an error. Where it is `reach_error`, `__VERIFIER_error` or `__assert_fail`, calls of the others and
    /// failed assertions are errors as well.
    Call(String),
    /// Reaching this label is an error.
    Label(String),
    /// A signed operation whose result leaves its type is an error.
    NoOverflow,
}

impl Property {
    /// By name: `unreach-call`, `no-overflow`, `error-label`.
    pub fn by_name(name: &str) -> Option<Property> {
        match name {
            "unreach-call" => Some(Property::Call("reach_error".into())),
            "no-overflow" => Some(Property::NoOverflow),
            "error-label" => Some(Property::Label("ERROR".into())),
            _ => None,
        }
    }

    /// The text of a property file of SV-COMP, such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`. The entry
    /// that it names comes along.
    pub fn parse(_text: &str) -> Result<(Property, String), Diagnostic> {
        Err(Diagnostic::error("property files are not read yet"))
    }
}
