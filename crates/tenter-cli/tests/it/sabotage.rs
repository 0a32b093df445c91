//! Every known way to disable the guard: `doctor` and `prove` both report it, and the printed fix works when
//! pasted, or says that it must be done by hand.
#![cfg(unix)]

mod commands;
mod entries;
mod files;
mod machine;
mod surroundings;

use machine::Machine;
use tenter_model::HostId;
use tenter_model::HostId::{Claude, Codex, Cursor, Gemini, Qwen};

/// How it is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fix {
    /// By the printed command.
    Pasted,
    /// By hand, as the report says.
    ByHand,
}

struct Sabotage {
    name: &'static str,
    hosts: &'static [HostId],
    make: fn(&mut Machine),
    /// Id of the finding.
    id: &'static str,
    fix: Fix,
}

const ALL: &[HostId] = &[Cursor, Claude, Codex, Gemini, Qwen];
const GROUPED: &[HostId] = &[Claude, Codex];

const fn pasted(
    name: &'static str,
    hosts: &'static [HostId],
    id: &'static str,
    make: fn(&mut Machine),
) -> Sabotage {
    Sabotage { name, hosts, make, id, fix: Fix::Pasted }
}

const fn by_hand(
    name: &'static str,
    hosts: &'static [HostId],
    id: &'static str,
    make: fn(&mut Machine),
) -> Sabotage {
    Sabotage { name, hosts, make, id, fix: Fix::ByHand }
}

/// Tries every sabotage on every applicable host, and reports all failures.
fn try_all(table: &[Sabotage]) {
    let mut wrong = Vec::new();
    for sabotage in table {
        for host in sabotage.hosts {
            let mut machine = Machine::healthy(*host);
            (sabotage.make)(&mut machine);
            if let Err(why) = tried(&machine, sabotage) {
                wrong.push(format!("== {} on {host}: {why}", sabotage.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn tried(machine: &Machine, sabotage: &Sabotage) -> Result<(), String> {
    let (doctor, prove) = (machine.doctor(), machine.prove());
    for (name, report) in [("doctor", &doctor), ("prove", &prove)] {
        if report.exit != 1 || !report.ids.iter().any(|id| id == sabotage.id) {
            return Err(format!(
                "{name} exits {} and says {:?}\n{}",
                report.exit, report.ids, report.text
            ));
        }
        let is_by_hand = report.fixes.iter().any(|fix| fix.starts_with("by hand: "));
        if is_by_hand != (sabotage.fix == Fix::ByHand) {
            return Err(format!("{name} prints {:?}", report.fixes));
        }
    }
    printed_as_it_must_be(machine, &prove)?;
    if sabotage.fix == Fix::ByHand {
        return Ok(());
    }
    let mut log = Vec::new();
    // A fix may reveal the next problem.
    for _ in 0..3 {
        let report = machine.doctor();
        let Some(fix) = report.fixes.first() else { break };
        log.push(format!("$ {fix}\n{}", machine.paste(fix).0));
    }
    for (name, report) in [("doctor", machine.doctor()), ("prove", machine.prove())] {
        if report.exit != 0 {
            let said = report.ids;
            return Err(format!("{name} says {said:?} after\n{}\n{}", log.join("\n"), report.text));
        }
    }
    Ok(())
}

/// Every printed fix can be pasted, or says that it is done by hand.
fn printed_as_it_must_be(machine: &Machine, prove: &machine::Report) -> Result<(), String> {
    let mut lines = machine.fix_lines();
    if lines.is_empty() {
        return Err("doctor prints no fix".to_owned());
    }
    lines.extend(prove.fixes.iter().cloned());
    for line in lines.iter().filter(|line| !line.starts_with("by hand: ")) {
        let first = line.split_whitespace().next().unwrap_or_default();
        let known = ["mv", "cp", "rm", "chmod", "chown", "mkdir", "sudo", "env"];
        if !first.ends_with("tenter") && !known.contains(&first) {
            return Err(format!("neither a command nor `by hand:`: {line}"));
        }
        let bash = std::process::Command::new("bash").args(["-n", "-c", line]).output();
        if !bash.is_ok_and(|ran| ran.status.success()) {
            return Err(format!("no command of a shell: {line}"));
        }
    }
    Ok(())
}

#[test]
fn a_healthy_machine_is_well() {
    for host in ALL {
        let machine = Machine::healthy(*host);
        let (doctor, prove) = (machine.doctor(), machine.prove());
        assert_eq!((doctor.exit, prove.exit), (0, 0), "{}\n{}", doctor.text, prove.text);
    }
}
