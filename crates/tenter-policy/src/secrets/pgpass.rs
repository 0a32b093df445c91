//! Lines of `.pgpass`: `host:port:database:user:password`.

use super::generic::weighty;
use super::rules::PASSWORD;
use super::value::Traits;
use super::{Confidence, SecretMatch};

/// Maximum length of the line on either side of its port.
const LOOK: usize = 160;

/// The password in the line whose port, or star, is at `colon`.
pub(super) fn line(bytes: &[u8], colon: usize) -> Option<SecretMatch> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let before = bytes.get(colon.saturating_sub(LOOK)..colon)?;
    let host = before.iter().rev().take_while(|byte| !ends(byte)).count();
    let start = colon.saturating_sub(host);
    let rest = bytes.get(start..)?;
    let len = rest.iter().take(LOOK.saturating_mul(2)).take_while(|byte| !ends(byte)).count();
    let line = rest.get(..len)?;
    let mut fields = line.split(|byte| *byte == b':');
    let (host, port) = (fields.next()?, fields.next()?);
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_port = port == b"*" || (!port.is_empty() && port.iter().all(u8::is_ascii_digit));
    let named = ![host, database, user].iter().any(|field| field.is_empty());
    let traits = Traits::of(password);
    let chosen = (traits.password() || traits.random(12)) && weighty(password) && user != password;
    let fits = is_port && named && chosen && fields.next().is_none();
    let from = start.saturating_add(len).saturating_sub(password.len());
    let label = (PASSWORD.id, PASSWORD.title);
    fits.then(|| SecretMatch::new(label, from, start.saturating_add(len), Confidence::Medium))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_five_fields_and_a_password() {
        let finds = |text: &str| {
            let colon = text.find(":5432:").or_else(|| text.find(":*:")).expect("a port");
            let found = line(text.as_bytes(), colon)?;
            text.get(found.start..found.end).map(str::to_owned)
        };
        let secret = concat!("qT7", "vR2mZx9Lp");
        assert_eq!(finds(&format!("db.acme.dev:5432:shop:app:{secret}")).as_deref(), Some(secret));
        assert_eq!(
            finds(&format!("echo '*:*:*:app:{secret}' >> .pgpass")).as_deref(),
            Some(secret)
        );
        for text in [
            "docker run -p 127.0.0.1:5432:5432 postgres",
            "localhost:5432:shop:postgres:postgres",
            "db:5432:shop:app:password",
            "db:5432:shop:app:$PGPASSWORD",
            "a:*:b",
            &format!("db:5432:shop:{secret}"),
        ] {
            assert_eq!(finds(text), None, "{text}");
        }
    }
}
