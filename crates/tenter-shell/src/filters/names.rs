//! `seq`, `basename`, `dirname`.

use super::Options;
use crate::budget::MAX_VALUE;

pub(super) fn seq(args: &[&str]) -> Option<String> {
    // A negative number is no option.
    let split = args.iter().position(|arg| arg.parse::<i64>().is_ok())?;
    let (before, numbers) = args.split_at_checked(split)?;
    let options = Options::read(before, "s:w", &[("separator", 's'), ("equal-width", 'w')])?;
    if !options.operands.is_empty() {
        return None;
    }
    let number = |text: &str| text.parse::<i64>().ok();
    let (first, step, last) = match numbers {
        [last] => (1, 1, number(last)?),
        [first, last] => (number(first)?, 1, number(last)?),
        [first, step, last] => (number(first)?, number(step)?, number(last)?),
        _ => return None,
    };
    if numbers.iter().any(|text| text.starts_with(['+', '0']) && text.len() > 1) || step == 0 {
        return None;
    }
    let separator = options.value('s').unwrap_or("\n");
    let widest = first.to_string().len().max(last.to_string().len());
    let width = if options.has('w') { widest } else { 0 };
    // Every number is a digit and a separator at least.
    let count = last.abs_diff(first) / step.unsigned_abs();
    if (step > 0) == (first <= last) && count > MAX_VALUE as u64 / 2 {
        return None;
    }
    let mut text = String::new();
    let mut value = first;
    while if step > 0 { value <= last } else { value >= last } {
        if !text.is_empty() {
            text.push_str(separator);
        }
        text.push_str(&crate::expand::padded(value, width));
        value = value.checked_add(step)?;
        if text.len() > MAX_VALUE {
            return None;
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    Some(text)
}

pub(super) fn basename(args: &[&str]) -> Option<String> {
    let (path, suffix) = match args {
        ["--", path] | [path] => (*path, ""),
        ["--", path, suffix] | [path, suffix] => (*path, *suffix),
        _ => return None,
    };
    if path.starts_with('-') {
        return None;
    }
    let trimmed = path.trim_end_matches('/');
    let name = match trimmed.rsplit_once('/') {
        Some((_, name)) => name,
        None if trimmed.is_empty() && !path.is_empty() => "/",
        None => trimmed,
    };
    let name = match name.strip_suffix(suffix) {
        Some(stem) if !stem.is_empty() => stem,
        _ => name,
    };
    Some(format!("{name}\n"))
}

pub(super) fn dirname(args: &[&str]) -> Option<String> {
    let (["--", path] | [path]) = args else { return None };
    if path.starts_with('-') {
        return None;
    }
    let trimmed = path.trim_end_matches('/');
    let directory = match trimmed.rsplit_once('/') {
        Some((directory, _)) => match directory.trim_end_matches('/') {
            "" => "/",
            directory => directory,
        },
        None if trimmed.is_empty() && !path.is_empty() => "/",
        None => ".",
    };
    Some(format!("{directory}\n"))
}
