//! Certificates of the engines.

use craig_cfa::LocId;
use craig_cfa::pass::prepare::Prepared;
use craig_encode::Encoder;
use craig_logic::TermId;
use craig_verdict::Certificate;

/// Invariants of locations of the prepared program, over the symbols of the encoder's state.
pub fn invariants(encoder: &Encoder<'_>, _: &Prepared, formulas: Vec<(LocId, TermId)>) -> Certificate {
    let text = formulas.iter().map(|(loc, f)| (*loc, encoder.terms.smt(*f)));
    Certificate::Invariants { arith: encoder.options.arith, formulas: text.collect() }
}
