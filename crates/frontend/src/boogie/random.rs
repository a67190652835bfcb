//! Random programs.
pub fn random(seed: u64) -> String {
    format!("procedure main() {{ assert {seed} >= 0; }}")
}
