use super::GUARD;
use crate::policy::{Policy, Value};
use crate::{Facts, Judgement, Preset, Sample, World, judge};

struct Project;

impl tenter_shell::FileFacts for Project {}

impl Facts for Project {
    fn read(&self, path: &str, _limit: usize) -> Option<String> {
        let text = match path {
            "/home/me/shop/package.json" => "{\"dependencies\": {\"left-pad\": \"^1.3.0\"}}",
            "/home/me/shop/web/package.json" => "{\"dependencies\": {\"right-pad\": \"^1\"}}",
            "/home/me/package.json" => "{\"dependencies\": {\"outer-pad\": \"^1\"}}",
            "/home/me/shop/pyproject.toml" => "dependencies = [\"Typing_Things>=2\"]",
            _ => return None,
        };
        Some(text.to_owned())
    }
}

fn judged(command: &str, cwd: &str, options: &[(&str, &[&str])]) -> Judgement {
    let mut policy = Policy::preset(Preset::Recommended);
    let at = crate::guards::GUARDS.iter().position(|guard| guard.id == GUARD.id).unwrap();
    for (name, patterns) in options {
        let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
        let setting = &mut policy.settings[at];
        if *name == "allow" {
            setting.allow = patterns;
        } else {
            setting.options.push(((*name).to_owned(), Value::Patterns(patterns)));
        }
    }
    let world =
        World { home: Some("/home/me"), cwd: Some(cwd), facts: &Project, ..World::default() };
    let mut event = Sample::Shell(command).event(Some(cwd));
    event.workspace_roots = vec!["/home/me/shop".into()];
    judge(&policy, &event, &world)
}

fn rules(command: &str, cwd: &str, options: &[(&str, &[&str])]) -> Vec<String> {
    let found = judged(command, cwd, options).findings;
    found
        .into_iter()
        .filter_map(|found| found.rule.strip_prefix("packages/").map(str::to_owned))
        .collect()
}

#[test]
fn what_the_project_names_is_not_new() {
    let shop = "/home/me/shop";
    assert!(rules("npm i left-pad", shop, &[]).is_empty());
    assert_eq!(rules("npm i outer-pad", shop, &[]), ["new-package"]);
    assert_eq!(rules("npm i right-pad", shop, &[]), ["new-package"]);
    assert!(rules("cd web && npm i right-pad left-pad", shop, &[]).is_empty());
    assert!(rules("pip install typing-things", shop, &[]).is_empty());
    assert_eq!(rules("brew install left-pad", shop, &[]), Vec::<String>::new());
}

#[test]
fn a_policy_allows_and_denies() {
    let shop = "/home/me/shop";
    let install = "pip install -i https://pypi.corp.example/simple left";
    assert!(rules(install, shop, &[]).contains(&"other-registry".to_owned()));
    let own: &[(&str, &[&str])] = &[("registries", &["*.corp.example"])];
    assert!(!rules(install, shop, own).contains(&"other-registry".to_owned()));
    let git = "npm i git+https://github.com/acme/thing.git";
    assert_eq!(rules(git, shop, &[]), ["direct-source"]);
    assert!(rules(git, shop, &[("allow", &["github.com/acme/**"])]).is_empty());
    assert_eq!(rules(git, shop, &[("allow", &["github.com/acm/**"])]), ["direct-source"]);
    assert_eq!(rules("npm i left-pad", shop, &[("deny", &["left-*"])]), ["denied"]);
    assert_eq!(rules("npx left-pad", shop, &[("deny", &["left-pad"])]), ["denied"]);
    assert!(!rules("npm i loadsh", shop, &[]).is_empty());
    assert!(rules("npm i loadsh", shop, &[("allow", &["loadsh"])]).is_empty());
}

#[test]
fn a_message_says_what_is_meant() {
    let said = |command: &str| {
        let found = judged(command, "/home/me/shop", &[]).findings;
        found.into_iter().find(|found| found.rule == "packages/lookalike").map(|found| found.what)
    };
    assert_eq!(
        said("npm i loadsh@4").as_deref(),
        Some("installs `loadsh`, which is one letter away from `lodash`")
    );
    assert_eq!(
        said("pip install cv2").as_deref(),
        Some("installs `cv2`; the real package is `opencv-python`")
    );
}
