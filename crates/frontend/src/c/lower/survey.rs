//! What is looked for in the whole text or program.

use craig_base::{Pace, Stop};
use craig_cfa::{ExprKind, Program};
use lang_c::ast;
use lang_c::visit::Visit;
use rustc_hash::FxHashSet;

/// Is there a label `ERROR`?
pub fn has_error_label(unit: &ast::TranslationUnit, pace: &mut Pace) -> Result<bool, Stop> {
    let mut labels = LabelFinder { found: false };
    for declaration in &unit.0 {
        pace.step()?;
        labels.visit_external_declaration(&declaration.node, &declaration.span);
    }
    Ok(labels.found)
}

struct LabelFinder {
    found: bool,
}

impl<'ast> Visit<'ast> for LabelFinder {
    fn visit_label(&mut self, label: &'ast ast::Label, span: &'ast lang_c::span::Span) {
        if let ast::Label::Identifier(name) = label {
            self.found |= name.node.name == "ERROR";
        }
        lang_c::visit::visit_label(self, label, span);
    }
}

/// A variable's address is taken if an operation of the program does so.
pub fn mark_address_taken(program: &mut Program, pace: &mut Pace) -> Result<(), Stop> {
    let mut marked = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = Vec::new();
    for (op, _) in program.ops() {
        pace.step()?;
        let parts = op.parts();
        stack.extend(parts.exprs.iter().map(|&e| craig_cfa::expr::Node::Expr(e)));
        stack.extend(parts.written.iter().map(|&p| craig_cfa::expr::Node::Place(p)));
    }
    program.exprs.visit_all(stack, &mut seen, &mut |node| {
        if let craig_cfa::expr::Node::Expr(e) = node
            && let ExprKind::AddrOf(place) = program.exprs.kind(e)
        {
            marked.extend(program.exprs.root_var(*place));
        }
    });
    for var in marked {
        program.vars[var].address_taken = true;
    }
    Ok(())
}
