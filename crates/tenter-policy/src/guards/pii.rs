//! Guard of personal data: numbers and addresses that should not go to a model or into a file.

mod find;

use find::Kind;
use tenter_shell::Span;

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::sample::Sample;
use crate::scene::{Passage, PassageKind, Scene};

const INSTEAD: &str =
    "use made-up values, or leave the data where it is and work with its structure";

const CARD: Check = Check {
    id: "card",
    weight: Weight::Doubtful,
    title: "a payment card number",
    instead: INSTEAD,
    safe: &[],
};

const IBAN: Check = Check {
    id: "iban",
    weight: Weight::Doubtful,
    title: "a bank account number (IBAN)",
    instead: INSTEAD,
    safe: &[],
};

const SOCIAL_SECURITY: Check = Check {
    id: "social-security",
    weight: Weight::Doubtful,
    title: "a social security number",
    instead: INSTEAD,
    safe: &[],
};

const IDENTITY: Check = Check {
    id: "identity",
    weight: Weight::Doubtful,
    title: "a passport number",
    instead: INSTEAD,
    safe: &[],
};

const PHONE: Check = Check {
    id: "phone",
    weight: Weight::Minor,
    title: "a telephone number",
    instead: INSTEAD,
    safe: &[],
};

const EMAIL: Check = Check {
    id: "email",
    weight: Weight::Minor,
    title: "an e-mail address of a person",
    instead: INSTEAD,
    safe: &[],
};

pub(super) static GUARD: Guard = Guard {
    id: "pii",
    title: "Data of people in prompts, commands and files",
    page: "\
Off until a policy switches it on: `pii = \"ask\"`. Then prompts, commands, what is read from and written \
into files, what tools bring back and what they are given are looked through for payment cards (with a right check digit), bank \
accounts (IBAN with a right check number), social security numbers of the United States, numbers of \
passports, telephone numbers and e-mail addresses.

Published test numbers, documented examples, numbers that begin with 555, addresses at `example.com` and \
addresses of no person (`noreply@`, `git@`) pass. Telephone numbers and e-mail addresses stand in many \
honest files, so they weigh little. Findings are not repeated: only their kind and line are named.

It knows forms, not people: names, places and dates of birth are not found.

Options: `allow` are files that are not looked at; the level of each check can be set, as in \
`pii = { level = \"ask\", checks = { email = \"off\" } }`.",
    checks: &[CARD, IBAN, SOCIAL_SECURITY, IDENTITY, PHONE, EMAIL],
    options: &[],
    optional: true,
    blocks: &[
        (Sample::Prompt("refund the card 4539 1488 0343 6467"), "card"),
        (Sample::Shell("echo 4539148803436467 >> cards.csv"), "card"),
        (Sample::Write("/home/me/shop/a.csv", "name,iban\nme,DE75512108001245126199\n"), "iban"),
        (Sample::Prompt("pay to GB33 BUKB 2020 1555 5555 55"), "iban"),
        (Sample::Content("/home/me/shop/people.csv", "name,iban\nme,DE75512108001245126199\n"), "iban"),
        (Sample::Output("paid with 4539 1488 0343 6467"), "card"),
        (Sample::Prompt("my ssn is 536-90-4399"), "social-security"),
        (Sample::Write("/home/me/shop/seed.sql", "insert into p values ('536-90-4399');"), "social-security"),
        (Sample::Prompt("passport number C01X00T47"), "identity"),
        (Sample::Prompt("call me at +49 170 9876501"), "phone"),
        (Sample::Prompt("write to jane.doe@gmail.com"), "email"),
    ],
    passes: &[
        Sample::Prompt("use the test card 4242 4242 4242 4242"),
        Sample::Prompt("our docs show DE89 3704 0044 0532 0130 00 as an example"),
        Sample::Shell("git config user.email me@example.com"),
        Sample::Shell("git clone git@github.com:me/shop.git"),
        Sample::Shell("curl -s http://127.0.0.1:8080/orders/4539148803436468"),
        Sample::Write("/home/me/shop/a.ts", "const timeout = 1700000000000; const id = '123-45-6789';"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    if GUARD.checks.iter().all(|check| !found.wants(check)) {
        return;
    }
    for passage in &scene.passages {
        text(passage, found);
    }
}

fn text(passage: &Passage<'_>, found: &mut Found<'_>) {
    let mut told: Vec<Kind> = Vec::new();
    let path = passage.path.as_deref().unwrap_or_default();
    find::find(&passage.text, &mut |kind, at| {
        // One finding per kind and text.
        if told.contains(&kind) {
            return;
        }
        told.push(kind);
        let check = match kind {
            Kind::Card => &CARD,
            Kind::Iban => &IBAN,
            Kind::SocialSecurity => &SOCIAL_SECURITY,
            Kind::Identity => &IDENTITY,
            Kind::Phone => &PHONE,
            Kind::Email => &EMAIL,
        };
        let before = passage.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let what = match passage.kind {
            PassageKind::Prompt => format!("sends {} to the model (line {line})", check.title),
            PassageKind::Written => format!("writes {} into {path} (line {line})", check.title),
            PassageKind::Read => {
                format!("reads {path}, which contains {} (line {line})", check.title)
            }
            PassageKind::Output => format!("returned {}", check.title),
            PassageKind::Command => format!("contains {}", check.title),
            _ => format!("passes on {}", check.title),
        };
        let span = (passage.kind == PassageKind::Command).then(|| Span::new(at, at + 1));
        found.add(check, At { span, ..At::subject(path) }, what);
    });
}
