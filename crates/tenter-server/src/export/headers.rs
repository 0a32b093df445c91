//! Request headers from OpenTelemetry's standard environment variables and arguments.

use ureq::http::{HeaderName, HeaderValue};

/// All headers in order; a later one replaces an earlier one of the same name. The variable for traces
/// replaces the general one.
pub(super) fn all(
    environment: &dyn Fn(&str) -> Option<String>,
    arguments: &[String],
) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let mut headers = Vec::new();
    for name in ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"] {
        let Some(list) = environment(name).filter(|list| !list.trim().is_empty()) else { continue };
        for pair in list.split(',').filter(|pair| !pair.trim().is_empty()) {
            let wrong = || format!("`{name}` is not a list of NAME=VALUE");
            let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
            let value = decoded(value.trim()).ok_or_else(wrong)?;
            headers.push(header(&decoded(key.trim()).ok_or_else(wrong)?, &value, name)?);
        }
        break;
    }
    for pair in arguments {
        let (key, value) = pair.split_once('=').ok_or("--header is NAME=VALUE")?;
        headers.push(header(key.trim(), value, "--header")?);
    }
    Ok(headers)
}

/// Parses a header. Errors do not repeat the value, which may be a key.
fn header(key: &str, value: &str, whence: &str) -> Result<(HeaderName, HeaderValue), String> {
    let name = HeaderName::try_from(key);
    let name = name.map_err(|_| format!("`{whence}` has a name that is none of a header"))?;
    let value = HeaderValue::from_str(value);
    let mut value = value.map_err(|_| format!("`{whence}` has a value that no header can have"))?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// Decodes percent escapes such as `%20`.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(own: Option<&str>, general: Option<&str>, arguments: &[&str]) -> Vec<String> {
        let environment = |name: &str| {
            let value = if name.contains("TRACES") { own } else { general };
            value.map(str::to_owned)
        };
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        let headers = all(&environment, &arguments).unwrap();
        headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn headers_come_from_variables_and_arguments() {
        let own = Some("Authorization=Basic%20YTpi, x-a=1%2C2");
        assert_eq!(
            texts(own, Some("x-b=2"), &["X-C=a=b"]),
            ["authorization: Basic YTpi", "x-a: 1,2", "x-c: a=b"]
        );
        assert_eq!(texts(None, Some("x-b=2,"), &[]), ["x-b: 2"]);
    }

    #[test]
    fn wrong_headers_are_refused_without_their_values() {
        let none = |_: &str| None;
        for wrong in ["secret", "a b=secret", "a=secret\n"] {
            let fault = all(&none, &[wrong.to_owned()]).unwrap_err();
            assert!(!fault.contains("secret"), "{fault}");
        }
        assert!(all(&|_| Some("a=%zz".to_owned()), &[]).is_err());
        assert!(all(&|_| Some("secret".to_owned()), &[]).is_err());
    }
}
