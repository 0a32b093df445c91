use super::*;

const MINIMAL: &str = "api = \"openai\"\nendpoint = \"http://127.0.0.1:1/v1\"\n";

fn parse(more: &str) -> Result<Config, Failure> {
    let environment = |name: &str| match name {
        "KEY" => Some(" key-for-tests\n".into()),
        "BROKEN" => Some("two\nlines".into()),
        _ => None,
    };
    Config::parse(Path::new("judge.toml"), &format!("{MINIMAL}{more}"), &environment)
}

fn fault(more: &str) -> String {
    match parse(more) {
        Err(Failure::Usage(message)) => message,
        other => panic!("{more}: {other:?}"),
    }
}

#[test]
fn defaults() {
    let config = parse("").unwrap();
    assert_eq!((config.timeout, config.max_tokens), (Duration::from_secs(30), 1024));
    assert!(config.key.is_none() && config.model.is_none() && config.headers.is_empty());
}

#[test]
fn every_known_key_is_read() {
    let values = [
        ("key_env", "\"KEY\""),
        ("model", "\"m\""),
        ("timeout", "1.5"),
        ("max_tokens", "77"),
        ("headers", "{ X-Team = \"blue\" }"),
        ("allow_insecure", "true"),
    ];
    let lines = values.map(|(name, value)| format!("{name} = {value}\n"));
    let config = parse(&lines.concat()).unwrap();
    assert_eq!(config.timeout, Duration::from_millis(1500));
    assert_eq!((config.max_tokens, config.model.as_deref()), (77, Some("m")));
    assert_eq!(config.headers.first().unwrap().0.as_str(), "x-team");
    let named = values.iter().map(|(name, _)| *name).chain(["api", "endpoint"]);
    assert!(named.clone().all(|name| KEYS.contains(&name)) && named.count() == KEYS.len());
}

#[test]
fn a_key_is_trimmed_and_never_shown() {
    let config = parse("key_env = \"KEY\"\nheaders = { a = \"long-header-value\", b = \"1\" }\n");
    let config = config.unwrap();
    assert_eq!(config.key.as_ref().unwrap().value.expose(), "key-for-tests");
    let shown = format!("{config:?}");
    assert!(!shown.contains("key-for-tests") && !shown.contains("long-header"), "{shown}");
    assert_eq!(config.redact("1 key-for-tests long-header-value"), "1 *** ***");
}

#[test]
fn a_key_is_hidden_before_a_text_is_cut() {
    let config = parse("key_env = \"KEY\"\n").unwrap();
    let text = format!("{}key-\u{1b}for-tests", "x".repeat(192));
    assert_eq!(config.quote(&text), format!("{}***", "x".repeat(192)));
}

#[test]
fn faults_name_file_line_and_cure() {
    for (more, wanted) in [
        ("timout = 3\n", "judge.toml:3: unknown key `timout`; the nearest known key is `timeout`"),
        ("\n\nkey = \"x\"\n", "judge.toml:5: unknown key `key`"),
        ("model = 3\n", "judge.toml:3: `model` must be a string"),
        ("timeout = \"3\"\n", "judge.toml:3: `timeout` must be a number"),
        ("timeout = 0\n", "judge.toml:3: `timeout` must be more than 0"),
        ("timeout = -1\n", "judge.toml:3: `timeout` must be more than 0"),
        ("timeout = nan\n", "judge.toml:3: `timeout` must be more than 0"),
        ("timeout = 3601\n", "judge.toml:3: `timeout` must be more than 0 and at most 3600"),
        ("max_tokens = 0\n", "judge.toml:3: `max_tokens` must be a whole number"),
        ("max_tokens = 1.5\n", "judge.toml:3: `max_tokens` must be a whole number"),
        ("max_tokens = 99999999999\n", "judge.toml:3: `max_tokens` must be a whole number"),
        ("allow_insecure = 1\n", "judge.toml:3: `allow_insecure` must be `true` or `false`"),
        ("headers = 1\n", "judge.toml:3: `headers` must be a table of strings"),
        ("headers = { a = 1 }\n", "judge.toml:3: `headers` must be a table of strings"),
        ("headers = { \"a b\" = \"x\" }\n", "judge.toml:3: the header `a b` has no valid name"),
        ("headers = { a = \"x\\ny\" }\n", "judge.toml:3: the header `a` has no valid value"),
        ("headers = { Host = \"x\" }\n", "judge.toml:3: the header `Host` is set by the judge"),
        ("key_env = \"NONE\"\n", "judge.toml:3: the variable `NONE` is not set"),
        ("key_env = \"BROKEN\"\n", "judge.toml:3: the variable `BROKEN` holds what no header can"),
        ("model = \"a\nb\"\n", "judge.toml:3: not TOML: "),
        ("api = \"openai\"\n", "judge.toml:3: not TOML: "),
    ] {
        let message = fault(more);
        assert!(message.starts_with(wanted), "{more}: {message}");
    }
}

#[test]
fn api_and_endpoint_are_needed() {
    let parse = |text: &str| Config::parse(Path::new("judge.toml"), text, &|_: &str| None);
    for (text, wanted) in [
        ("", "`judge.toml` has no `api`: add it"),
        ("api = \"openai\"\n", "`judge.toml` has no `endpoint`: add it"),
        ("api = \"other\"\n", "judge.toml:1: `api` must be \"openai\" or \"anthropic\""),
        ("api = \"openai\"\nendpoint = \"x\"\n", "judge.toml:2: `endpoint` must begin with"),
    ] {
        let Err(Failure::Usage(message)) = parse(text) else { panic!("{text}") };
        assert!(message.starts_with(wanted), "{text}: {message}");
    }
}
