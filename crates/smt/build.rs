//! Looks whether the Z3 library is in place, and lets this package's tests, benches and examples find it wherever
//! the target directory is. (Other packages find it through the settings in `.cargo/config.toml`.)

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    println!("cargo:rerun-if-changed=build.rs");
    // Without the variable a system library is meant; its version is checked at run time.
    let Some(folder) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) else { return };
    let linux = env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux");
    if linux && !folder.join("libz3.so").exists() {
        println!("cargo::error=there is no libz3.so in {}: run scripts/setup", folder.display());
        return;
    }
    if linux {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
}
