//! Shells that are not of the Bourne family: PowerShell and cmd.exe.

use crate::call::Call;
use crate::code::Code;
use crate::flow::Stream;
use crate::world::Language;

/// Whether the text reads like PowerShell or cmd rather than a Unix shell.
pub(crate) fn recognise(_command: &str) -> Option<Language> {
    None
}

pub(crate) fn powershell(call: &mut Call<'_, '_>, code: Code<'_>) -> Stream {
    let _ = code;
    Stream::unknown(call.stdin.flow.clone())
}

pub(crate) fn cmd(call: &mut Call<'_, '_>, code: Code<'_>) -> Stream {
    let _ = code;
    Stream::unknown(call.stdin.flow.clone())
}
