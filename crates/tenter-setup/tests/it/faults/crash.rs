//! The process is killed at every step, or at any moment.
//!
//! The killed process is this test program, started again with a task in its environment.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tenter_setup::files::Steps;

use super::world::{self, Counter, OLD, WAYS, World, left_over, text, wire};

/// This test program, to run one of its ignored tests in another test's world.
#[expect(clippy::disallowed_methods, reason = "what is tested is the end of a process")]
pub(crate) fn process(test: &str, world: &World, task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .env("FAULTS_ROOT", world.root())
        .env("FAULTS_TASK", task)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The task of this process, if any.
#[expect(clippy::disallowed_methods, reason = "this is where a test's process is told what to do")]
pub(crate) fn task() -> Option<(World, String)> {
    let root = PathBuf::from(std::env::var_os("FAULTS_ROOT")?);
    Some((World::at(&root), std::env::var("FAULTS_TASK").ok()?))
}

fn die() -> io::Result<()> {
    let own = rustix::process::getpid();
    rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
    Ok(())
}

/// One interrupted operation.
struct Story {
    name: &'static str,
    /// Initial files: names and texts.
    files: &'static [(&'static str, &'static str)],
    /// The files that are changed.
    targets: &'static [&'static str],
    /// Operations completed before.
    before: &'static [&'static str],
    /// The interrupted operation.
    then: &'static str,
}

const STORIES: &[Story] = &[
    Story {
        name: "a file is replaced",
        files: &[("a/settings.json", OLD)],
        targets: &["a/settings.json"],
        before: &[],
        then: "install 1",
    },
    Story {
        name: "a file is made in folders that are made",
        files: &[],
        targets: &["b/c/hooks.json"],
        before: &[],
        then: "install 1",
    },
    Story {
        name: "two files are replaced and one is made",
        files: &[("a/settings.json", OLD), ("hooks.json", "{}\n")],
        targets: &["a/settings.json", "b/c/hooks.json", "hooks.json"],
        before: &[],
        then: "install 1",
    },
    Story {
        name: "a second version goes over the first",
        files: &[("a/settings.json", OLD)],
        targets: &["a/settings.json", "b/hooks.json"],
        before: &["install 1"],
        then: "install 2",
    },
    Story {
        name: "the old file comes back",
        files: &[("a/settings.json", OLD)],
        targets: &["a/settings.json"],
        before: &["install 1", "install 2"],
        then: "uninstall",
    },
    Story {
        name: "file and folders of ours go away",
        files: &[],
        targets: &["b/c/hooks.json"],
        before: &["install 1"],
        then: "uninstall",
    },
    Story {
        name: "several files are put back",
        files: &[("a/settings.json", OLD), ("hooks.json", "{}\n")],
        targets: &["a/settings.json", "b/c/hooks.json", "hooks.json"],
        before: &["install 1"],
        then: "uninstall",
    },
];

impl Story {
    fn world(&self) -> World {
        let world = World::in_memory();
        for (name, text) in self.files {
            world.file(name, text);
        }
        for task in self.before {
            self.carry_out(&world, task, Steps::NONE);
        }
        world
    }

    fn paths(&self, world: &World) -> Vec<PathBuf> {
        self.targets.iter().map(|name| world.home(name)).collect()
    }

    fn carry_out(&self, world: &World, task: &str, steps: Steps<'_>) {
        let paths = self.paths(world);
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        match task.split_once(' ') {
            Some(("install", id)) => world::install(&world.places, &paths, id, steps).unwrap(),
            _ => world::uninstall(&world.places, &paths, steps).unwrap(),
        };
    }

    /// The contents of a file before and after the interrupted operation.
    fn ends(&self, name: &str) -> [Option<String>; 2] {
        let original = self.files.iter().find(|(file, _)| *file == name).map(|(_, text)| *text);
        let mut texts = vec![original.map(str::to_owned)];
        for task in self.before.iter().chain([&self.then]) {
            let last = texts.last().unwrap();
            let next = match task.split_once(' ') {
                Some((_, id)) => Some(wire(last.as_deref(), id)),
                None => original.map(str::to_owned),
            };
            texts.push(next);
        }
        let after = texts.pop().unwrap();
        [texts.pop().unwrap(), after]
    }
}

/// Killed at every step N: each file has its old or new content, an uninstall restores the original, and also
/// after a second attempt.
#[test]
fn a_process_that_ends_at_any_step_loses_nothing() {
    let mut runs = 0;
    for can_exchange in WAYS {
        for (index, story) in STORIES.iter().enumerate() {
            let mut step = 0;
            loop {
                let completed = [false, true].map(|again| {
                    runs += 1;
                    interrupted(index, step, can_exchange, again)
                });
                assert_eq!(completed[0], completed[1]);
                if completed[0] {
                    break;
                }
                step += 1;
            }
            assert!(step > 5, "{} has more steps than {step}", story.name);
        }
    }
    println!("{runs} processes ended at a step");
    assert!(runs > 500, "{runs}");
}

/// Whether the process ran to its end.
fn interrupted(index: usize, step: usize, can_exchange: bool, again: bool) -> bool {
    let story = &STORIES[index];
    let place = format!("{}, step {step}, exchange {can_exchange}, again {again}", story.name);
    let world = story.world();
    let before = {
        let untouched = World::in_memory();
        for (name, text) in story.files {
            untouched.file(name, text);
        }
        let users = untouched.users();
        let root = untouched.root().to_owned();
        let moved = |path: PathBuf| world.root().join(path.strip_prefix(&root).unwrap());
        users.into_iter().map(|(path, what)| (moved(path), what)).collect()
    };
    let task = format!("{index} {step} {can_exchange}");
    let ended = process("faults::crash::end_at_a_step", &world, &task).output().unwrap();
    for name in story.targets {
        let now = text(&world.home(name));
        assert!(story.ends(name).contains(&now), "{place}: {name} holds {now:?}");
        let [old, new] = story.ends(name);
        assert!(!ended.status.success() || now == new, "{place}: {name}");
        assert!(step > 0 || now == old, "{place}: {name}");
    }
    if again {
        story.carry_out(&world, story.then, Steps::NONE);
        for name in story.targets {
            assert_eq!(text(&world.home(name)), story.ends(name)[1], "{place}: {name}");
        }
    }
    story.carry_out(&world, "uninstall", Steps::NONE);
    assert_eq!(world.users(), before, "{place}");
    assert_eq!(left_over(&world), [] as [String; 0], "{place}");
    assert_eq!(world.kept().1, 0, "{place}: the ledger has forgotten");
    ended.status.success()
}

#[test]
#[ignore = "a process of another test"]
fn end_at_a_step() {
    let Some((world, task)) = task() else { return };
    let words: Vec<&str> = task.split(' ').collect();
    let story = &STORIES[words[0].parse::<usize>().unwrap()];
    let (last, can_exchange) = (words[1].parse::<usize>().unwrap(), words[2] == "true");
    let counter = Counter::new();
    let listen = |name: &'static str| {
        if counter.next() == last { die() } else { world::way(can_exchange, name) }
    };
    story.carry_out(&world, story.then, Steps::each(&listen));
}

/// Killed from outside during continuous installs and uninstalls.
#[test]
fn a_process_that_is_killed_at_any_moment_loses_nothing() {
    const RUNS: u64 = 200;
    let (mut old, mut new) = (0, 0);
    let mut random = 88_172_645_463_325_252_u64;
    for run in 0..RUNS {
        let world = World::new();
        let file = world.file("a/settings.json", OLD);
        let made = world.home("b/c/hooks.json");
        let before = world.users();
        let mut child = process("faults::crash::go_on_until_killed", &world, "").spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("begun")), "it begins");
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % 40_000));
        child.kill().unwrap();
        child.wait().unwrap();
        match text(&file).unwrap() {
            now if now == OLD => old += 1,
            now if now == wire(Some(OLD), "1") => new += 1,
            now => panic!("run {run}: {now:?}"),
        }
        let made_text = text(&made);
        assert!(made_text.is_none() || made_text == Some(wire(None, "1")), "{made_text:?}");
        if run % 2 == 0 {
            world.install(&[&file, &made], "1").unwrap();
        }
        world.uninstall(&[&file, &made]).unwrap();
        assert_eq!(world.users(), before, "run {run}");
        assert_eq!(left_over(&world), [] as [String; 0], "run {run}");
    }
    println!("{RUNS} processes killed: {old} times the old file, {new} times the new one");
    assert!(old > 0 && new > 0, "old {old}, new {new}");
}

#[test]
#[ignore = "a process of another test"]
fn go_on_until_killed() {
    let Some((world, _)) = task() else { return };
    let (file, made) = (world.home("a/settings.json"), world.home("b/c/hooks.json"));
    println!("begun");
    loop {
        world.install(&[&file, &made], "1").unwrap();
        world.uninstall(&[&file, &made]).unwrap();
    }
}
