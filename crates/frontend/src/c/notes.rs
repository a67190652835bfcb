//! Notes on a text that others wrote: invariants that are claimed to hold at statements, and waypoints that a run to the error is claimed to
//! pass. They become part of the program that the text is translated to, so that whoever decides about that program decides about them.
//!
//! - An invariant that does not hold where it should is an error as good as those of the property. The program has all errors of the
//!   text, and more: if it is safe, so is the text, and the invariants hold.
//! - Waypoints allow only those runs that pass them in order; an error counts only behind the last one. Each run of the program is one of the text.
//!
//! An expression of a note is read where it stands, with the names that are known there. It has no side effects: what assigns or calls is
//! refused.

use super::scan;
use crate::Res;
use craig_base::{Budget, Diagnostic};
use lang_c::ast;
use lang_c::span::Node;

/// What is said of a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub line: u32,
    /// Counted from 1; none: the first place in the line that fits.
    pub column: Option<u32>,
    pub function: Option<String>,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// At the statement, or whenever the condition of the loop there is about to be evaluated, this holds.
    Invariant { of_loop: bool, holds: String },
    /// Runs pass the place on their way, or avoid it, in the part of so many that they are in.
    Waypoint { segment: u32, avoid: bool, way: Way },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// Before the statement, this holds.
    Assumption(String),
    /// The condition of the statement is true, or false.
    Branch(bool),
    /// The function of the call that ends there is entered.
    Enter,
    /// It returns, and this holds of `\result`.
    Return(Option<String>),
    /// The error.
    Target,
}

impl Note {
    fn text(&self) -> Option<&str> {
        match &self.what {
            What::Invariant { holds, .. } => Some(holds),
            What::Waypoint { way: Way::Assumption(text) | Way::Return(Some(text)), .. } => Some(text),
            What::Waypoint { .. } => None,
        }
    }
}

/// The name that `\result` has in a parsed note.
pub(super) const RESULT: &str = "__craig_result";

/// A note with its expression.
#[derive(Debug)]
pub(super) struct Parsed {
    pub note: Note,
    pub expr: Option<Box<Node<ast::Expression>>>,
}

/// Reads the expressions of notes. What is no expression, or has side effects, is told with its line.
pub(super) fn parse(notes: &[Note], unit: &ast::TranslationUnit, budget: &Budget) -> Res<Vec<Parsed>> {
    let mut types = String::new();
    for declaration in &unit.0 {
        if let ast::ExternalDeclaration::Declaration(declaration) = &declaration.node {
            typedefs(&declaration.node, &mut types);
        }
    }
    let read = |note: &Note| {
        let expr = note.text().map(|text| expression(text, &types, note.line, budget)).transpose()?;
        Ok(Parsed { note: note.clone(), expr })
    };
    notes.iter().map(read).collect()
}

/// The names that a declaration makes types; a parser has to know them.
fn typedefs(declaration: &ast::Declaration, out: &mut String) {
    let is_typedef = declaration.specifiers.iter().any(|specifier| {
        matches!(&specifier.node, ast::DeclarationSpecifier::StorageClass(class)
            if class.node == ast::StorageClassSpecifier::Typedef)
    });
    if !is_typedef {
        return;
    }
    for declarator in &declaration.declarators {
        let mut kind = &declarator.node.declarator.node.kind.node;
        while let ast::DeclaratorKind::Declarator(inner) = kind {
            kind = &inner.node.kind.node;
        }
        if let ast::DeclaratorKind::Identifier(name) = kind {
            out.push_str("typedef int ");
            out.push_str(&name.node.name);
            out.push_str(";\n");
        }
    }
}

fn expression(text: &str, types: &str, line: u32, budget: &Budget) -> Res<Box<Node<ast::Expression>>> {
    let wrong = |what: &str| {
        let shown: String = text.chars().take(100).collect();
        Diagnostic::error(format!("the note of line {line} is {what}: `{}`", shown.escape_debug()))
    };
    // Nothing may end the statement around it.
    if text.contains([';', '{', '}', '#', '"']) || !is_balanced(text) {
        return Err(wrong("no expression").into());
    }
    let text = text.replace("\\result", RESULT);
    let function = format!("{types}void __craig_note(void) {{ ({text}); }}\n");
    let (rewritten, _) = scan::scan(&function, budget)?;
    let parsed = super::parse(rewritten, budget)?;
    let mut unit = parsed.map_err(|_| wrong("no expression"))?.unit.0;
    let found = match unit.pop().map(|last| last.node) {
        Some(ast::ExternalDeclaration::FunctionDefinition(function)) => match function.node.statement.node {
            ast::Statement::Compound(mut items) if items.len() == 1 => {
                match items.pop().map(|item| item.node) {
                    Some(ast::BlockItem::Statement(Node {
                        node: ast::Statement::Expression(found), ..
                    })) => found,
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    };
    let found = found.ok_or_else(|| wrong("no expression"))?;
    if !is_pure(&found) {
        return Err(wrong("no expression without side effects").into());
    }
    Ok(found)
}

/// Does every parenthesis that closes have one that opens before it, and the other way round?
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i32;
    let never_below = text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    never_below && depth == 0
}

/// Does evaluating it change nothing?
fn is_pure(node: &Node<ast::Expression>) -> bool {
    use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
    match &node.node {
        E::Identifier(_) | E::Constant(_) | E::SizeOfTy(_) | E::AlignOf(_) | E::OffsetOf(_) => true,
        E::SizeOfVal(value) => is_pure(&value.node.0),
        E::Member(member) => is_pure(&member.node.expression),
        E::UnaryOperator(unary) => {
            let changes = matches!(
                unary.node.operator.node,
                U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement
            );
            !changes && is_pure(&unary.node.operand)
        }
        E::Cast(cast) => is_pure(&cast.node.expression),
        E::BinaryOperator(binary) => {
            let assigns = matches!(
                binary.node.operator.node,
                B::Assign
                    | B::AssignMultiply
                    | B::AssignDivide
                    | B::AssignModulo
                    | B::AssignPlus
                    | B::AssignMinus
                    | B::AssignShiftLeft
                    | B::AssignShiftRight
                    | B::AssignBitwiseAnd
                    | B::AssignBitwiseXor
                    | B::AssignBitwiseOr
            );
            !assigns && is_pure(&binary.node.lhs) && is_pure(&binary.node.rhs)
        }
        E::Conditional(c) => {
            let parts = [&c.node.condition, &c.node.then_expression, &c.node.else_expression];
            parts.into_iter().all(|part| is_pure(part))
        }
        _ => false,
    }
}
