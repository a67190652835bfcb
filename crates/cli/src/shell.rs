//! `craig completions` and `craig man`: what shells and manuals know of the command line, made from its own description.

use crate::args::{Cli, Completions, Man};
use crate::code::Code;
use crate::host;
use clap::CommandFactory;

pub fn completions(args: &Completions) -> Code {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "craig", &mut text);
    host::print(|out| out.write_all(&text)).map_or_else(|code| code, |()| Code::Safe)
}

/// A page for the program and one for each command.
pub fn man(args: &Man) -> Code {
    let made = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    match made {
        Ok(()) => Code::Safe,
        Err(e) => {
            let folder = args.folder.display();
            host::eprint(&format!("error: manual pages cannot be written to {folder}: {e}"));
            Code::Usage
        }
    }
}
