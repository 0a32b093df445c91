//! Package ecosystems, and parsing of package names.

use tenter_shell::{Ran, Role};

/// A namespace of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ecosystem {
    Npm,
    Pypi,
    Crates,
    Gems,
    Go,
    /// An operating system's packages, whose names are assigned by its maintainers.
    System,
}

impl Ecosystem {
    pub(super) fn of(ran: &Ran) -> Option<Self> {
        const ROLES: &[(Role, Ecosystem)] = &[
            (Role::Npm, Ecosystem::Npm),
            (Role::Pypi, Ecosystem::Pypi),
            (Role::Crates, Ecosystem::Crates),
            (Role::Gems, Ecosystem::Gems),
            (Role::GoModules, Ecosystem::Go),
            (Role::SystemPackages, Ecosystem::System),
        ];
        ROLES.iter().find(|(role, _)| ran.is(*role)).map(|(_, ecosystem)| *ecosystem)
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "PyPI",
            Self::Crates => "crates.io",
            Self::Gems => "RubyGems",
            Self::Go => "Go",
            Self::System => "the system",
        }
    }

    /// Well-known names, sorted, separated by whitespace.
    pub(super) fn known(self) -> &'static str {
        match self {
            Self::Npm => include_str!("npm.txt"),
            Self::Pypi => include_str!("pypi.txt"),
            Self::Crates => include_str!("crates.txt"),
            Self::Gems => include_str!("gems.txt"),
            Self::Go => include_str!("go.txt"),
            Self::System => "",
        }
    }

    /// Manifest files.
    pub(super) fn manifests(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &[
                "package.json",
                "package-lock.json",
                "pnpm-lock.yaml",
                "yarn.lock",
                "bun.lock",
                "deno.json",
            ],
            Self::Pypi => &[
                "pyproject.toml",
                "requirements.txt",
                "requirements-dev.txt",
                "uv.lock",
                "poetry.lock",
                "Pipfile",
                "Pipfile.lock",
                "setup.cfg",
                "setup.py",
            ],
            Self::Crates => &["Cargo.toml", "Cargo.lock"],
            Self::Gems => &["Gemfile", "Gemfile.lock"],
            Self::Go => &["go.mod", "go.sum"],
            Self::System => &[],
        }
    }

    /// The name in `name@1.2`, `name[extra]>=2`, `alias@npm:name`; `None` if it is not a name.
    pub(super) fn name(self, text: &str) -> Option<&str> {
        let name = match self {
            Self::Npm => {
                let text = text.rsplit_once("npm:").map_or(text, |(_, name)| name);
                let (scope, rest) = match text.strip_prefix('@').and_then(|rest| rest.find('/')) {
                    Some(slash) => text.split_at_checked(slash + 2)?,
                    None => ("", text),
                };
                let rest = rest.split('@').next().unwrap_or(rest);
                text.get(..scope.len() + rest.len())?
            }
            Self::Pypi => text.split(['[', '<', '>', '=', '!', '~', ';', ' ', '@', ',']).next()?,
            Self::Crates | Self::Go => text.split('@').next()?,
            Self::Gems => text.split(':').next()?,
            Self::System => text,
        };
        let fits = |letter: char| {
            letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/' | '@')
        };
        // `uv python install 3.12` does not install a package.
        let version = name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (!name.is_empty() && !version && !name.contains(':') && name.chars().all(fits))
            .then_some(name)
    }
}

/// Import names that differ from their package: a package of the import name is another one, or does not
/// exist.
const PYTHON: &[(&str, &str)] = &[
    ("beautifulsoup", "beautifulsoup4"),
    ("bio", "biopython"),
    ("crypto", "pycryptodome"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("django-cors", "django-cors-headers"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("fitz", "pymupdf"),
    ("git", "gitpython"),
    ("huggingface-cli", "huggingface-hub"),
    ("imblearn", "imbalanced-learn"),
    ("jose", "python-jose"),
    ("jwt", "pyjwt"),
    ("magic", "python-magic"),
    ("mysqldb", "mysqlclient"),
    ("opencv", "opencv-python"),
    ("openssl", "pyopenssl"),
    ("pil", "pillow"),
    ("pptx", "python-pptx"),
    ("psycopg2binary", "psycopg2-binary"),
    ("pytorch", "torch"),
    ("serial", "pyserial"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("telegram", "python-telegram-bot"),
    ("usb", "pyusb"),
    ("win32api", "pywin32"),
    ("yaml", "pyyaml"),
    ("zmq", "pyzmq"),
];

const JAVASCRIPT: &[(&str, &str)] = &[
    ("angular-cli", "@angular/cli"),
    ("headlessui", "@headlessui/react"),
    ("heroicons", "@heroicons/react"),
    ("mui", "@mui/material"),
    ("nestjs", "@nestjs/core"),
    ("prisma-client", "@prisma/client"),
    ("radix-ui-react", "radix-ui"),
    ("react-codeshift", "jscodeshift"),
    ("redux-toolkit", "@reduxjs/toolkit"),
    ("supabase-js", "@supabase/supabase-js"),
    ("tailwind", "tailwindcss"),
    ("tailwind-css", "tailwindcss"),
    ("tanstack-query", "@tanstack/react-query"),
    ("trpc", "@trpc/server"),
    ("unused-imports", "eslint-plugin-unused-imports"),
    ("vueuse", "@vueuse/core"),
];

/// The intended package for a commonly confused name.
pub(super) fn meant(ecosystem: Ecosystem, name: &str) -> Option<&'static str> {
    let table = match ecosystem {
        Ecosystem::Npm => JAVASCRIPT,
        Ecosystem::Pypi => PYTHON,
        _ => return None,
    };
    table.iter().find(|(wrong, _)| wrong.eq_ignore_ascii_case(name)).map(|(_, right)| *right)
}

/// Malicious packages, and compromised versions of others. A name without version covers all versions.
const BAD: &[(Ecosystem, &str)] = &[
    (
        Ecosystem::Npm,
        "1337qq-js crossenv discordi.js electorn flatmap-stream getcookies loadyaml twilio-npm \
         @ctrl/tinycolor@4.1.1 @ctrl/tinycolor@4.1.2 @lottiefiles/lottie-player@2.0.5 \
         @lottiefiles/lottie-player@2.0.6 @lottiefiles/lottie-player@2.0.7 @rspack/cli@1.1.7 \
         @rspack/core@1.1.7 @solana/web3.js@1.95.6 @solana/web3.js@1.95.7 ansi-regex@6.2.1 \
         ansi-styles@6.2.2 backslash@0.2.1 chalk@5.6.1 chalk-template@1.1.1 coa@2.0.3 coa@2.0.4 \
         coa@2.1.1 coa@2.1.3 coa@3.0.1 coa@3.1.3 color@5.0.1 color-convert@3.1.1 color-name@2.0.1 \
         color-string@2.1.1 colors@1.4.1 colors@1.4.2 debug@4.4.2 error-ex@1.3.3 \
         eslint-config-eslint@5.0.2 eslint-config-prettier@10.1.6 eslint-config-prettier@10.1.7 \
         eslint-config-prettier@8.10.1 eslint-config-prettier@9.1.1 eslint-plugin-prettier@4.2.2 \
         eslint-plugin-prettier@4.2.3 eslint-scope@3.7.2 event-stream@3.3.6 faker@6.6.6 \
         has-ansi@6.0.1 is-arrayish@0.3.3 node-ipc@10.1.1 node-ipc@10.1.2 rc@1.2.9 rc@1.3.9 \
         rc@2.3.9 simple-swizzle@0.2.3 slice-ansi@7.1.1 strip-ansi@7.1.1 supports-color@10.2.1 \
         supports-hyperlinks@4.1.1 synckit@0.11.9 ua-parser-js@0.7.29 ua-parser-js@0.8.0 \
         ua-parser-js@1.0.0 wrap-ansi@9.0.1 xrpl@2.14.2 xrpl@4.2.1 xrpl@4.2.2 xrpl@4.2.3 \
         xrpl@4.2.4",
    ),
    (
        Ecosystem::Pypi,
        "acloud-client colourama diango djago jeilyfish python3-dateutil ssh-decorate torchtriton \
         num2words==0.5.15 num2words==0.5.16 ultralytics==8.3.41 ultralytics==8.3.42 \
         ultralytics==8.3.45 ultralytics==8.3.46",
    ),
    (Ecosystem::Crates, "async_println faster_log rustdecimal"),
    (
        Ecosystem::Gems,
        "atlas-client bootstrap-sass:3.2.0.3 rest-client:1.6.13 strong_password:0.0.7",
    ),
    (Ecosystem::Go, "github.com/boltdb-go/bolt"),
];

/// Whether the package, or the requested version, is known to be malicious.
pub(super) fn is_bad(ecosystem: Ecosystem, name: &str, asked: &str) -> bool {
    BAD.iter()
        .filter(|(known, _)| *known == ecosystem)
        .flat_map(|(_, names)| names.split_ascii_whitespace())
        .any(|bad| bad.eq_ignore_ascii_case(name) || bad.eq_ignore_ascii_case(asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_is_left_without_version_and_extras() {
        let cases = [
            (Ecosystem::Npm, "left-pad@1.0", Some("left-pad")),
            (Ecosystem::Npm, "@me/left@^2", Some("@me/left")),
            (Ecosystem::Npm, "@me/left", Some("@me/left")),
            (Ecosystem::Npm, "x@npm:@me/left@2", Some("@me/left")),
            (Ecosystem::Npm, "npm:left@2", Some("left")),
            (Ecosystem::Npm, "jsr:@std/path", None),
            (Ecosystem::Npm, "$PACKAGE", None),
            (Ecosystem::Pypi, "left[all]>=2,<3", Some("left")),
            (Ecosystem::Pypi, "left ; python_version > '3'", Some("left")),
            (Ecosystem::Pypi, "3.12", None),
            (Ecosystem::Pypi, "2captcha", Some("2captcha")),
            (Ecosystem::Crates, "left@1", Some("left")),
            (Ecosystem::Gems, "left:1.2", Some("left")),
            (Ecosystem::Go, "h.com/a/b@latest", Some("h.com/a/b")),
        ];
        for (ecosystem, text, expected) in cases {
            assert_eq!(ecosystem.name(text), expected, "{text}");
        }
    }

    #[test]
    fn the_lists_are_sorted_and_each_name_stands_once() {
        use Ecosystem::{Crates, Gems, Go, Npm, Pypi};
        for ecosystem in [Npm, Pypi, Crates, Gems, Go] {
            let names: Vec<&str> = ecosystem.known().split_ascii_whitespace().collect();
            assert!(names.len() > 300);
            assert!(names.is_sorted_by(|one, next| one < next), "{ecosystem:?}");
            for name in names {
                assert_eq!(meant(ecosystem, name), None, "{name} is known and a mistake");
            }
        }
    }
}
