//! Keeps Z3 from writing to the terminal.
//!
//! When Spacer is done, it tidies its lemmas up, and stumbles over some of bit-vectors (`spacer_context.cpp`, `simplify_formulas`): it
//! prints the lemmas and `ASSERTION VIOLATION`, and throws an exception, which we see as a query without an answer. No parameter turns the
//! printing off, and none the tidying. All of it goes to C++'s `std::cerr`, which nothing else in this process uses: so that gets no
//! buffer, and drops what is written to it. The standard error of the process stays as it is.
#![allow(unsafe_code, reason = "std::cerr can only be reached by its symbol")]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn silence() {
    use std::ffi::{CStr, c_void};
    use std::sync::Once;
    static ONCE: Once = Once::new();
    /// `std::cerr`.
    const CERR: &CStr = c"_ZSt4cerr";
    /// `std::basic_ios<char>::rdbuf(std::basic_streambuf<char>*)`.
    const RDBUF: &CStr = c"_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E";
    type Rdbuf = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;
    // SAFETY: the symbols are the ones named above, of the C++ library that Z3 is linked to; a build without them is left alone. The
    // interface of C++ on this platform keeps the distance from an `ostream` to its `basic_ios` three words before the address points of
    // its table of functions. `rdbuf` may be given no buffer.
    ONCE.call_once(|| unsafe {
        let cerr = libc::dlsym(libc::RTLD_DEFAULT, CERR.as_ptr());
        let rdbuf = libc::dlsym(libc::RTLD_DEFAULT, RDBUF.as_ptr());
        if cerr.is_null() || rdbuf.is_null() {
            return;
        }
        let table = *cerr.cast::<*const isize>();
        let ios = cerr.byte_offset(*table.offset(-3));
        let rdbuf = std::mem::transmute::<*mut c_void, Rdbuf>(rdbuf);
        rdbuf(ios, std::ptr::null_mut());
    });
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn silence() {}
