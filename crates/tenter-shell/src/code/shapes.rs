//! What a whole text does where its calls cannot be followed one by one: a program fed by a connection.

/// Each shape has groups of words; a text has it if it has a word of every group.
const NETWORK_SHELLS: &[&[&[&str]]] = &[
    // Lua
    &[&[":receive("], &["popen("], &[":send("]],
    // JavaScript
    &[
        &["createServer(", "net.connect(", "createConnection(", ".connect("],
        &[
            "spawn(\"/bin/",
            "spawn('/bin/",
            "spawn(\"sh\"",
            "spawn('sh'",
            "spawn(\"bash\"",
            "spawn('bash'",
            "spawn(\"cmd",
        ],
        &[".pipe("],
        &["stdin"],
    ],
    // Java and what runs on it
    &[&["Socket("], &["ProcessBuilder(", ".exec("], &["getOutputStream("], &["getInputStream("]],
    // Go
    &[
        &["net.Dial(", "net.Listen(", "syscall.Socket("],
        &["Dup2(", ".Stdin"],
        &["syscall.Exec(", "exec.Command("],
    ],
    // Rust, C
    &[&["TcpStream::", "TcpListener::"], &["from_raw_fd"], &["Command::new("]],
    &[
        &["socket(AF_INET", "socket(PF_INET", "socket(2,"],
        &["dup2("],
        &["execl(", "execve(", "execv(", "execlp("],
    ],
    // Julia
    &[
        &["using Sockets", "import Sockets"],
        &["readline(", "readavailable("],
        &["run("],
        &["write("],
    ],
    // Tcl
    &[&["[socket "], &["gets $"], &["exec $", "open |", "open \"|", "exec {"]],
];

/// Whether whoever is at the other end of a connection decides what runs.
pub(crate) fn is_network_shell(text: &str) -> bool {
    let connects =
        ["ocket", "net.", "createServer(", "createConnection(", ":receive(", "/inet/", "Tcp"];
    connects.iter().any(|word| text.contains(word))
        && (is_awk_shell(text)
            || NETWORK_SHELLS.iter().any(|shape| {
                shape.iter().all(|group| group.iter().any(|word| text.contains(word)))
            }))
}

/// `s = "/inet/tcp/..."; s |& getline c; c |& getline`: what comes from the connection is run itself.
fn is_awk_shell(text: &str) -> bool {
    if !text.contains("/inet/") {
        return false;
    }
    let mut names: Vec<&str> = text
        .match_indices("|&")
        .filter(|(at, _)| {
            text.get(at.saturating_add(2)..)
                .is_some_and(|rest| rest.trim_start().starts_with("getline"))
        })
        .filter_map(|(at, _)| {
            let before = text.get(..at)?.trim_end();
            let word = |letter: char| letter.is_alphanumeric() || letter == '_';
            before.get(before.trim_end_matches(word).len()..)
        })
        .collect();
    names.dedup();
    names.len() > 1
}

#[cfg(test)]
mod tests {
    use super::is_network_shell;

    #[test]
    fn a_shell_needs_a_connection_and_what_it_feeds() {
        for text in [
            "BEGIN { s = \"/inet/tcp/0/h/1\"; while ((s |& getline line) > 0) while ((line |& getline o) > 0) print o |& s }",
            "local l = c:receive(); local p = io.popen(l); c:send(p:read('*a'))",
            "net.createServer(s => { s.pipe(sh.stdin); }).listen(9); sh = spawn('/bin/bash')",
            "var s = new Socket(h, p); new ProcessBuilder(x).start(); s.getOutputStream(); q.getInputStream()",
            "c, _ := net.Dial(\"tcp\", a); cmd := exec.Command(\"sh\"); cmd.Stdin = c",
        ] {
            assert!(is_network_shell(text), "{text}");
        }
        for text in [
            "BEGIN { s = \"/inet/tcp/0/h/1\"; print \"GET /\" |& s; while ((s |& getline l) > 0) print l }",
            "local l = c:receive(); c:send(l)",
            "net.createServer(s => s.pipe(s)).listen(9)",
            "c, _ := net.Dial(\"tcp\", a); fmt.Fprintf(c, \"x\")",
            "spawn('/bin/sh', ['-c', 'make'])",
        ] {
            assert!(!is_network_shell(text), "{text}");
        }
    }
}
