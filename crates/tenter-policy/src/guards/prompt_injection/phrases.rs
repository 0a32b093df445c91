//! Finds phrases that give instructions to a model.
//!
//! A single phrase proves nothing: documentation about such attacks quotes them, and programs for language
//! models contain them. So each family of phrases counts once, less inside a sentence or in quotes, more in a
//! comment, and only several together are reported.
//!
//! One pass over the text: at the start of a word its letters decide whether any phrase can begin there; only
//! then are words compared.

use super::signals::{Family, Signals};
use super::starts::{Token, is_part, kind, may_start, starting, tokens_of};

/// Family, weight and words of a phrase: `a|b` matches one of these, `?a|b` any number of these.
pub(super) type Phrase = (Family, u8, &'static str);

/// At most 64, so that a bit set fits one integer; words are separated by single blanks.
pub(super) const PHRASES: &[Phrase] = &[
    (
        Family::Override,
        9,
        "ignore|disregard|forget|override|bypass ?all|any|everything|of|the|your|my|these|\
         those|and previous|prior|above|earlier|preceding|existing|original|initial|\
         foregoing|safety|system ?system|safety|user instructions|instruction|prompts|prompt|\
         messages|rules|directions|directives|context|guidelines|commands|orders|tasks|\
         conversation",
    ),
    (
        Family::Override,
        9,
        "ignore|disregard|forget ?all|of your instructions|guidelines|rules|training|\
         programming|restrictions|prompt",
    ),
    (
        Family::Override,
        9,
        "ignore|disregard|forget ?all|everything|anything ?you|that were|was|have|been told|\
         said|instructed|written ?to|you before|above|previously|earlier",
    ),
    (
        Family::Override,
        9,
        "do|don not|t follow|obey ?any|the|your|of previous|prior|above|earlier|original|\
         system ?system instructions|prompt|rules|guidelines",
    ),
    (
        Family::Override,
        9,
        "ignore|disregard|forget|override ?all|any|of|the|your|these instructions|\
         instruction|rules|guidelines|directions|prompt|messages above|before|given|\
         previously|earlier",
    ),
    (
        Family::Override,
        7,
        "this|these ?message|instruction|instructions supersedes|supersede|overrides|\
         override|replaces|replace ?all|any|your previous|prior|other|earlier|original \
         instructions|rules|prompts|guidelines",
    ),
    (
        Family::Override,
        9,
        "ignore|disregard|forget what ?the|your user|users|human ?has|have|had|just asked|said|\
         wants|wanted|requested|told|wrote",
    ),
    (
        Family::Override,
        8,
        "previous|prior|earlier|above|original|existing ?safety|system instructions|rules|\
         guidelines|prompts|directives ?are|have|is|now|been|no|longer void|outdated|obsolete|\
         superseded|cancelled|revoked|invalid|apply",
    ),
    (
        Family::Override,
        6,
        "the user|human|owner|operator ?has|have|already approved|granted|authorized|authorised|\
         allowed ?all|you|any|every|these|this|permission|the|to|your commands|actions|requests|\
         permissions|bypass|skip|tools|everything",
    ),
    (
        Family::Override,
        5,
        "ignore|disregard|forget everything|all|anything ?that|written|said|you|read|came|is above|\
         before|prior",
    ),
    (
        Family::Override,
        9,
        "ignoriere|vergiss|ignorieren ?sie|alle|die|deine|ihre|vorherigen|bisherigen|obigen \
         anweisungen|befehle|regeln|instruktionen",
    ),
    (
        Family::Override,
        9,
        "ignora|olvida|ignore|ignorez|oublie|oubliez ?todas|toutes|las|les|tus|tes|vos|sus \
         instrucciones|consignes|instructions|ordenes anteriores|previas|pr|ci",
    ),
    (
        Family::Persona,
        9,
        "act|behave|respond|pretend|answer ?as|to|be|like|if|you|are|were|an|a|the unrestricted|\
         uncensored|unfiltered|jailbroken|dan",
    ),
    (
        Family::Persona,
        4,
        "you have|are|follow no|without ?longer|more|any restrictions|limits|limitations|rules|\
         guidelines|filters|restriction",
    ),
    (Family::Act, 3, "run|execute curl|wget|bash|sh|powershell|npx|python|python3"),
    (Family::Persona, 9, "you are now ?a|an|the|in dan|jailbroken|unrestricted|uncensored"),
    (
        Family::Persona,
        4,
        "you are now ?a|an|in|the|operating|acting|entering|no unrestricted|jailbroken|dan|\
         developer|debug|admin|administrator|root|longer|maintenance|different|new|free|evil|\
         god",
    ),
    (Family::Persona, 3, "from now on you"),
    (
        Family::Persona,
        4,
        "your|the new|real|actual|true|only|updated ?and task|instructions|role|goal|\
         objective|directive|mission|purpose ?now is|are",
    ),
    (Family::Persona, 3, "enter|enable|activate developer|debug|maintenance|god|admin|dan mode"),
    (
        Family::Persona,
        3,
        "new|updated|revised|additional|urgent|important|critical ?system instructions|\
         directive|instruction ?for|to|from ai|llm|llms|assistant|agent|agents|you|anthropic|\
         openai|claude|system|developers|administrator",
    ),
    (
        Family::Secrecy,
        5,
        "do|don|never|must|should ?not|t|never tell|inform|notify|alert|warn|mention|reveal|\
         disclose|show|report|say ?any|anything|about|this|it|that|these|of|to|instructions ?to|of|about \
         the|your user|users|human|operator|developer|anyone|victim",
    ),
    (
        Family::Secrecy,
        5,
        "without telling|informing|notifying|alerting|asking|mentioning|warning|prompting \
         ?this|it|to|the|your anyone|user|users|human|operator|developer",
    ),
    (
        Family::Secrecy,
        5,
        "keep|hide ?this|it|these|instructions|actions|secret|hidden|and|confidential from \
         the user|users|human|developer",
    ),
    (
        Family::Secrecy,
        5,
        "the user|human must|should|does|will|can|cannot|need not|t|never ?need|be|to know|\
         see|notice|aware|told|informed",
    ),
    (
        Family::Address,
        4,
        "if you are|re ?reading|an|a|any|the|this|and|large ai|llm|llms|agent|assistant|\
         language|bot|chatbot|gpt|claude|chatgpt|copilot",
    ),
    (
        Family::Address,
        5,
        "ai|llm|llms|language ?model assistants|assistant|agents|agent|models|llms ?reading|who|\
         that|read|reads|processing|this must|should|shall",
    ),
    (
        Family::Address,
        5,
        "attention|dear|hey|hello|note|message|notice|instruction|instructions|reminder|\
         warning ?to|for|from|all|any|the|every ai|llm|llms|assistant|agent|agents|claude|chatgpt|\
         copilot|gemini|gpt|language|bots|chatbot|anthropic|openai ?model|models|assistant|assistants|agent|\
         agents",
    ),
    (Family::Address, 2, "as an ai|llm assistant|agent|model|language"),
    (
        Family::Prompt,
        4,
        "reveal|print|output|show|repeat|display|leak|dump|return|provide|send ?me|us|all|of|\
         the|out your|the|its ?full|entire|complete|exact|hidden|initial|whole|original \
         system|initial|hidden|original prompt|instructions|message",
    ),
    (Family::Prompt, 3, "repeat everything|all|the ?the|text|words|of above|before"),
    (
        Family::Send,
        5,
        "send|post|upload|forward|exfiltrate|transmit|leak|email|submit|append|include|pass|\
         paste|reply ?the|all|any|your|its|their|this|of|users|user|s|every|full|entire|\
         file|them|files|from|a|with content|contents|credentials|credential|secrets|secret|keys|key|tokens|\
         token|password|passwords|env|environment|conversation|history|private|ssh|api|\
         cookies|database",
    ),
    (
        Family::Send,
        5,
        "read|open|cat|load|fetch|access|get|find ?the|file|files|all|any|your|user|users|s|\
         contents|content|of|from|in|local ssh|env|id_rsa|aws|credentials|secrets|keychain|\
         passwd|shadow|private|mcp",
    ),
    (
        Family::Act,
        3,
        "you must|should|need|have|will|shall ?to|now|first|immediately|always|also|then run|\
         execute|exfiltrate|call|invoke|read|send|fetch|download|install|use|include|add|delete|copy|\
         open|visit|pass|upload|disable|approve",
    ),
    (
        Family::Act,
        2,
        "run|execute|paste|type ?the|this|these|following|exact|below|next|shell|bash|\
         terminal|in|your|a command|commands|script|code|payload",
    ),
    (
        Family::Act,
        3,
        "before ?using|calling|answering|responding|doing|you|do|anything|any|this|other|\
         else|proceed|proceeding|continue|continuing|the|task|with|tool|answer|tools read|\
         call|run|execute|send|fetch|always|first",
    ),
    (
        Family::Act,
        4,
        "immediately|silently|secretly|quietly run|execute|call|send|read|delete|upload|\
         download|add|install|push|commit|copy",
    ),
    (
        Family::Act,
        4,
        "decode ?and|the|this|it|following|base64|string|text|below|then|encoded|message|\
         blob|to run|execute|follow|obey|eval|get",
    ),
];

/// Adds the phrases in a text.
pub(super) fn look(text: &str, signals: &mut Signals) {
    let bytes = text.as_bytes();
    let mut before = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let kind = kind(*byte);
        // Only the start of a word or tag is examined.
        if kind != before && kind != 0 {
            let rest = bytes.get(at..).unwrap_or_default();
            if kind == 2 {
                tag(bytes, at, signals);
            } else if may_start(rest) {
                phrases(bytes, at, signals);
            }
        }
        before = kind;
    }
}

fn phrases(bytes: &[u8], at: usize, signals: &mut Signals) {
    let Some((first, end)) = word(bytes, at) else { return };
    let mut left = starting(first);
    while left != 0 {
        let index = left.trailing_zeros() as usize;
        left &= left - 1;
        if let Some((family, weight, phrase)) = PHRASES.get(index)
            && let Some((start, tokens)) = tokens_of(index).split_first()
            // The table already distinguishes words of up to eight letters.
            && (first.len() <= 8 || start.fits(phrase, first))
            && let Some(end) = follow(bytes, end, phrase, tokens)
        {
            signals.add(*family, *weight, bytes, at, end);
        }
    }
}

/// Matches the following words with the phrase; returns the end of the last one.
fn follow(bytes: &[u8], mut end: usize, phrase: &str, tokens: &[Token]) -> Option<usize> {
    let mut next = next_word(bytes, end);
    for token in tokens {
        if token.optional {
            let mut skipped = 0;
            while skipped < 6
                && let Some((found, after)) = next
                && token.fits(phrase, found)
            {
                end = after;
                next = next_word(bytes, end);
                skipped += 1;
            }
        } else {
            let (found, after) = next?;
            if !token.fits(phrase, found) {
                return None;
            }
            end = after;
            next = next_word(bytes, end);
        }
    }
    Some(end)
}

/// The word that starts here, and its end.
fn word(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let length = rest.iter().take(24).take_while(|byte| is_part(**byte)).count();
    Some((rest.get(..length)?, at + length))
}

/// The next word; a sentence or list item may end in between, but the gap is limited.
fn next_word(bytes: &[u8], end: usize) -> Option<(&[u8], usize)> {
    let gap = bytes.get(end..)?.iter().take(12).take_while(|byte| !is_part(**byte)).count();
    let between = bytes.get(end..end + gap)?;
    if between.iter().any(|byte| matches!(byte, b'.' | b'!' | b'?' | b';')) {
        // `~/.ssh` and `.env` are words; a period at the end of a sentence ends the phrase.
        let dots = between.iter().position(|byte| *byte == b'.');
        if dots != between.len().checked_sub(1) || gap < 2 {
            return None;
        }
    }
    word(bytes, end + gap).filter(|(found, _)| !found.is_empty())
}

/// Chat template tags, which do not belong into ordinary text.
const TAGS: &[(&[u8], u8)] = &[
    (b"<system>", 4),
    (b"<|im_start|>", 5),
    (b"<|system|>", 5),
    (b"<<sys>>", 5),
    (b"[inst]", 4),
    (b"[system]", 3),
    (b"[system message]", 4),
    (b"<important>", 1),
    (b"<system_prompt>", 4),
    (b"<instructions>", 2),
];

fn tag(bytes: &[u8], at: usize, signals: &mut Signals) {
    let Some([one, two]) = bytes.get(at + 1..at + 3) else { return };
    let next = (one.to_ascii_lowercase(), two.to_ascii_lowercase());
    if !matches!(next, (b's', b'y') | (b'|' | b'<', b's') | (b'|', b'i') | (b'i', b'm' | b'n')) {
        return;
    }
    for &(tag, weight) in TAGS {
        let end = at + tag.len();
        if bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(tag)) {
            // In capitals it is an instruction, in lower case a tag of some documentation formats.
            let shouts = bytes.get(at + 1) == Some(&b'I');
            let weight = if tag == b"<important>" && shouts { 4 } else { weight };
            signals.add(Family::Tag, weight, bytes, at, end);
        }
    }
}
