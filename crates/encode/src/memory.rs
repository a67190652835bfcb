//! Where values live.
