//! Tools and code that have no other use than an attack.

use super::programs::off;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::target::Target;

/// Programs that have no other use than an attack: dumpers of credentials, tools that map a domain or relay logins,
/// that end the protection of a machine, and miners.
const ATTACKERS: &[&str] = &[
    "adexplorer",
    "adfind",
    "adidnsdump",
    "adrecon",
    "adrecon.ps1",
    "akagi",
    "akagi32",
    "akagi64",
    "azurehound",
    "backstab",
    "backstab64",
    "badpotato",
    "bloodhound",
    "bloodhound-python",
    "certify",
    "cme",
    "coercer",
    "crackmapexec",
    "dumpert",
    "edrsandblast",
    "evil-winrm",
    "fgdump",
    "firepwd.py",
    "ghosttask",
    "godpotato",
    "gsecdump",
    "impacket",
    "inveigh",
    "invoke-mimikatz.ps1",
    "juicypotato",
    "kerbrute",
    "mailpv",
    "mimikatz.ps1",
    "mimipenguin.py",
    "msfconsole",
    "msfvenom",
    "nanodump.x64",
    "nanodump.x86",
    "netexec",
    "netpass",
    "nimgrab",
    "ntlmrelayx.py",
    "nxc",
    "outflank-dumpert",
    "pchunter64",
    "petitpotam",
    "phant0m",
    "powerfun",
    "powerkatz",
    "printspoofer",
    "psexec.py",
    "pwdump",
    "pwdump7",
    "remcom",
    "responder",
    "responder.py",
    "roguepotato",
    "rubeus",
    "safetykatz",
    "seatbelt",
    "secretsdump.py",
    "sharpchrome",
    "sharpdpapi",
    "sharphide",
    "sharphound",
    "sharphound.ps1",
    "sharpkatz",
    "sharpshares",
    "sharpup",
    "sharpview",
    "smbexec.py",
    "snaffler",
    "soaphound",
    "sweetpotato",
    "trufflesnout",
    "wce",
    "webbrowserpassview",
    "winpeas64",
    "winpeasany",
    "winpwn",
    "wmiexec.py",
    "xmrig",
    "xordump",
];

/// Functions of collections that are loaded into `PowerShell` for an attack, in lower case.
const FUNCTIONS: &[&str] = &[
    "add-persistence",
    "bypass-uac",
    "export-aadintadfscertificates",
    "extract-invoke-psimage",
    "find-avsignature",
    "find-domainshare",
    "find-localadminaccess",
    "get-adreplaccount",
    "get-gppautologon",
    "get-gpppassword",
    "get-keystrokes",
    "get-lsasecret",
    "get-netcomputer",
    "get-netdomaintrust",
    "get-netforesttrust",
    "get-netgroup",
    "get-netuser",
    "get-passhashes",
    "get-timedscreenshot",
    "get-vaultcredential",
    "invoke-aclscanner",
    "invoke-allchecks",
    "invoke-backdoorlnk",
    "invoke-bloodhound",
    "invoke-credentialinjection",
    "invoke-dllinjection",
    "invoke-dnsexfiltrator",
    "invoke-domainpasswordspray",
    "invoke-dpslight",
    "invoke-inveigh",
    "invoke-kerberoast",
    "invoke-memekatz",
    "invoke-mimikatz",
    "invoke-ninjacopy",
    "invoke-passwordspray",
    "invoke-portscan",
    "invoke-powerdump",
    "invoke-privesc",
    "invoke-psimage",
    "invoke-psinject",
    "invoke-reflectivepeinjection",
    "invoke-sharefinder",
    "invoke-shellcode",
    "invoke-tokenmanipulation",
    "invoke-userhunter",
    "invoke-winpeas",
    "invoke-winpwn",
    "mount-volumecopy",
    "new-volumeshadowcopy",
    "out-minidump",
    "ppid-spoof",
    "set-criticalprocess",
    "start-hollow",
    "timestomp",
];

/// Parts of the names of script files that bring such functions.
const SCRIPTS: &[&str] = &[
    "adrecon",
    "bloodhound",
    "bypass-uac",
    "dnsexfil",
    "gpppassword",
    "inveigh",
    "invoke-mimi",
    "invoke-psimage",
    "kerberoast",
    "keystrokes",
    "memekatz",
    "mimikatz",
    "powerdump",
    "powersploit",
    "powerup",
    "powerview",
    "sharphound",
    "start-hollow",
    "timestomp",
    "winpwn",
];

/// Whether this is a tool for attacks.
pub(crate) fn is_attacker(name: &str) -> bool {
    let plain = name.trim_end_matches(".exe");
    ATTACKERS.binary_search(&plain).is_ok()
}

/// Whether this function, or the script that brings it, is for attacks; in lower case.
pub(crate) fn is_attack(name: &str) -> bool {
    let name = name.strip_suffix(".ps1").unwrap_or(name);
    FUNCTIONS.binary_search(&name).is_ok()
}

/// Whether a script with this path is for attacks.
pub(crate) fn is_attack_script(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".ps1").is_some() && SCRIPTS.iter().any(|part| name.contains(part))
}

pub(crate) fn attack(call: &mut Call<'_, '_>, name: &str) {
    let asks = call.arguments().len() == 1
        && call
            .arguments()
            .iter()
            .any(|field| matches!(field.prefix(), "--help" | "-h" | "--version"));
    if !asks {
        call.effect(Kind::Execute, Act::AttackTool, Target::name(name));
    }
}

/// Text of a program in another language, or of a call, that only an attack contains.
pub(crate) fn telltale(text: &str) -> Option<Act> {
    const OFF: &[&str] = &["amsiutils", "amsiinitfailed", "amsiscanbuffer", "etweventwrite"];
    const TICKETS: &[&str] = &["kerberosrequestorsecuritytoken"];
    const INJECTS: &[&str] = &[
        "minidumpwritedump",
        "createremotethread",
        "writeprocessmemory",
        "virtualallocex",
        "ntcreatethreadex",
        "queueuserapc",
    ];
    const RECORDS: &[&str] = &["getasynckeystate", "setwindowshookex", "copyfromscreen", "bitblt"];
    let lower = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(OFF) {
        Some(Act::DisableProtection)
    } else if has(INJECTS) || has(TICKETS) {
        Some(Act::AttackTool)
    } else if has(RECORDS) {
        Some(Act::Capture)
    } else {
        None
    }
}

impl Call<'_, '_> {
    /// Says what [`telltale`] text does.
    pub(crate) fn tells(&mut self, text: &str) {
        match telltale(text) {
            Some(Act::DisableProtection) => off(self, "the scanner of scripts"),
            Some(Act::Capture) => _ = self.effect(Kind::Read, Act::Capture, Target::None),
            Some(act) => _ = self.effect(Kind::Execute, act, Target::name("code for attacks")),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(ATTACKERS.is_sorted());
        assert!(FUNCTIONS.is_sorted());
    }
}
