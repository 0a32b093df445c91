//! Programs that work line by line.

use super::{Options, lines, unlines};

pub(super) fn rev(args: &[&str], stdin: &str) -> Option<String> {
    if !matches!(args, [] | ["-"]) {
        return None;
    }
    let (all, ended) = lines(stdin);
    let turned: Vec<String> = all.iter().map(|line| line.chars().rev().collect()).collect();
    Some(unlines(&turned, ended))
}

pub(super) fn tac(args: &[&str], stdin: &str) -> Option<String> {
    if !matches!(args, [] | ["-"]) {
        return None;
    }
    Some(stdin.split_inclusive('\n').rev().collect())
}

/// `-n 3`, `-3`, `-c 5`: unit, and number as written.
fn count<'a>(args: &[&'a str]) -> Option<(bool, &'a str)> {
    if let [number] = args
        && let Some(digits) = number.strip_prefix('-')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some((false, digits));
    }
    let options = Options::read(args, "n:c:", &[("lines", 'n'), ("bytes", 'c')])?;
    if !options.reads_stdin() {
        return None;
    }
    match (options.value('n'), options.value('c')) {
        (lines, None) => Some((false, lines.unwrap_or("10"))),
        (None, Some(bytes)) => Some((true, bytes)),
        _ => None,
    }
}

pub(super) fn head(args: &[&str], stdin: &str) -> Option<String> {
    let (bytes, number) = count(args)?;
    let (all_but, number) = match number.strip_prefix('-') {
        Some(number) => (true, number.parse::<usize>().ok()?),
        None => (false, number.parse::<usize>().ok()?),
    };
    if bytes {
        let kept =
            if all_but { stdin.len().saturating_sub(number) } else { number.min(stdin.len()) };
        return stdin.get(..kept).map(str::to_owned);
    }
    let total = stdin.split_inclusive('\n').count();
    let kept = if all_but { total.saturating_sub(number) } else { number };
    Some(stdin.split_inclusive('\n').take(kept).collect())
}

pub(super) fn tail(args: &[&str], stdin: &str) -> Option<String> {
    let (bytes, number) = count(args)?;
    let (from, number) = match number.strip_prefix('+') {
        Some(number) => (true, number.parse::<usize>().ok()?),
        None => (false, number.strip_prefix('-').unwrap_or(number).parse::<usize>().ok()?),
    };
    let total = if bytes { stdin.len() } else { stdin.split_inclusive('\n').count() };
    let left_out = if from { number.saturating_sub(1) } else { total.saturating_sub(number) };
    if bytes {
        return stdin.get(left_out.min(total)..).map(str::to_owned);
    }
    Some(stdin.split_inclusive('\n').skip(left_out).collect())
}

const MAX_RANGES: usize = 32;

pub(super) fn cut(args: &[&str], stdin: &str) -> Option<String> {
    let long = [("delimiter", 'd'), ("fields", 'f'), ("characters", 'c'), ("bytes", 'b')];
    let options = Options::read(args, "d:f:c:b:s", &long)?;
    if !options.reads_stdin() {
        return None;
    }
    let (all, _) = lines(stdin);
    let mut kept = Vec::new();
    match (options.value('f'), options.value('c').or(options.value('b'))) {
        (Some(list), None) => {
            let ranges = ranges(list)?;
            let mut delimiter = options.value('d').unwrap_or("\t").chars();
            let (Some(mark), None) = (delimiter.next(), delimiter.next()) else { return None };
            for line in all {
                if line.contains(mark) {
                    let fields = line.split(mark).enumerate();
                    let fields = fields.filter(|(index, _)| holds(&ranges, *index));
                    let fields: Vec<&str> = fields.map(|(_, field)| field).collect();
                    kept.push(fields.join(mark.encode_utf8(&mut [0; 4])));
                } else if !options.has('s') {
                    kept.push(line.to_owned());
                }
            }
        }
        (None, Some(list)) if options.value('d').is_none() && stdin.is_ascii() => {
            let ranges = ranges(list)?;
            for line in all {
                let chars = line.chars().enumerate();
                kept.push(
                    chars.filter(|(index, _)| holds(&ranges, *index)).map(|(_, ch)| ch).collect(),
                );
            }
        }
        _ => return None,
    }
    Some(unlines(&kept, true))
}

/// `1`, `2-4`, `-3`, `5-`, joined by commas. Each is held against each field, so not too many.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    if list.split(',').nth(MAX_RANGES).is_some() {
        return None;
    }
    list.split(',')
        .map(|range| {
            let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
            match range.split_once('-') {
                None => number(range).map(|number| (number, number)),
                Some(("", "")) => None,
                Some(("", last)) => Some((1, number(last)?)),
                Some((first, "")) => Some((number(first)?, usize::MAX)),
                Some((first, last)) => Some((number(first)?, number(last)?)),
            }
        })
        .collect()
}

fn holds(ranges: &[(usize, usize)], index: usize) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&(index + 1)))
}

pub(super) fn sort(args: &[&str], stdin: &str) -> Option<String> {
    let long = [("reverse", 'r'), ("unique", 'u'), ("numeric-sort", 'n')];
    let options = Options::read(args, "run", &long)?;
    // The order of anything else is a matter of the locale.
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'\n';
    if !options.reads_stdin() || !stdin.bytes().all(plain) {
        return None;
    }
    let (mut all, _) = lines(stdin);
    if options.has('n') {
        if all.iter().any(|line| line.is_empty() || line.parse::<u64>().is_err()) {
            return None;
        }
        all.sort_by_key(|line| line.parse::<u64>().unwrap_or(0));
        if options.has('u') {
            all.dedup_by_key(|line| line.parse::<u64>().unwrap_or(0));
        }
    } else {
        all.sort_unstable();
    }
    if options.has('u') {
        all.dedup();
    }
    if options.has('r') {
        all.reverse();
    }
    Some(unlines(&all, true))
}

pub(super) fn uniq(args: &[&str], stdin: &str) -> Option<String> {
    if !args.is_empty() {
        return None;
    }
    let (mut all, _) = lines(stdin);
    all.dedup();
    Some(unlines(&all, true))
}

pub(super) fn wc(args: &[&str], stdin: &str) -> Option<String> {
    let count = match args {
        ["-l" | "--lines"] => stdin.matches('\n').count(),
        ["-c" | "--bytes"] => stdin.len(),
        ["-m" | "--chars"] => stdin.chars().count(),
        ["-w" | "--words"] => stdin.split_ascii_whitespace().count(),
        _ => return None,
    };
    Some(format!("{count}\n"))
}

pub(super) fn paste(args: &[&str], stdin: &str) -> Option<String> {
    let options = Options::read(args, "sd:", &[("serial", 's'), ("delimiters", 'd')])?;
    let delimiter = options.value('d').unwrap_or("\t");
    if !options.has('s') || !options.reads_stdin() || delimiter.contains('\\') {
        return None;
    }
    let (all, _) = lines(stdin);
    let mut text = String::new();
    let mut between = delimiter.chars().cycle();
    for (index, line) in all.iter().enumerate() {
        if index > 0 {
            text.extend(between.next());
        }
        text.push_str(line);
    }
    text.push('\n');
    Some(text)
}
