//! Computes the edits that install the wanted hooks.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;
use serde_json::Value;
use tenter_hosts::install::Shape;
use tenter_lint::{Edit, insert_first};

use super::document::{
    Document, Hooks, List, frame_of_array, frame_of_object, handlers, json_of, last,
};
use super::{comments, parse, read};
use crate::edit::page::{Frame, Place};
use crate::edit::plan::{Fate, Plan, Stock};
use crate::edit::render::{Ink, Node, element};
use crate::edit::{FoundHook, Hook, Ours, Style};
use tenter_engine::document::Source;

/// Keys and lists that stay even when empty.
#[derive(Debug, Default)]
pub(super) struct Kept {
    hooks: bool,
    events: Vec<String>,
    /// Required keys that may be removed, since we added them.
    ours: Vec<String>,
}

impl Kept {
    /// For an unknown original. A host that requires keys treats a file without `hooks` as broken, so they
    /// stay.
    pub(super) fn unknown(style: &Style<'_>) -> Self {
        Self { hooks: !style.required.is_empty(), ..Self::default() }
    }

    /// From the file's original text. `others` are the hooks it will have without ours.
    pub(super) fn of(before: &str, style: &Style<'_>, others: &[Stock]) -> Self {
        let source = Source::new("", before);
        let names = |object: &Object<'_>| {
            object.properties.iter().map(|property| property.name.as_str().to_owned()).collect()
        };
        let parsed = parse(&source).ok().flatten();
        let root = parsed.as_ref().and_then(|value| value.as_object());
        let keys: Vec<String> = root.map(names).unwrap_or_default();
        let hooks = root.and_then(|root| last(root, "hooks")?.value.as_object());
        let mut ours: Vec<String> = Vec::new();
        // A hook added after ours may rely on a key that we added.
        if same_hooks(&read(before, style).unwrap_or_default(), others) {
            let required = style.required.iter().map(|(name, _)| (*name).to_owned());
            ours.extend(required.filter(|name| !keys.contains(name)));
        }
        Self {
            hooks: keys.iter().any(|key| key == "hooks"),
            events: hooks.map(names).unwrap_or_default(),
            ours,
        }
    }
}

fn same_hooks(before: &[FoundHook], now: &[Stock]) -> bool {
    let mut now = now.iter().filter(|one| !one.ours).map(|one| &one.found);
    let same = before.iter().all(|old| {
        now.next().is_some_and(|new| {
            (&old.event, &old.matcher, &old.fields) == (&new.event, &new.matcher, &new.fields)
        })
    });
    same && now.next().is_none()
}

/// The complete text of a file that had only comments.
pub(super) fn fresh_file(text: &str, style: &Style<'_>, hooks: &[Hook]) -> String {
    let body = text.trim_start_matches('\u{feff}');
    let mark = text.len() - body.len();
    let place = base_place(body);
    let mut fields: Vec<(String, Node)> = Vec::new();
    for (name, value) in style.required {
        fields.push(((*name).to_owned(), Node::Scalar((*value).to_owned())));
    }
    fields.push(("hooks".to_owned(), Node::Object(events(hooks.iter(), style.shape))));
    let ink = Ink { indent: Some(""), place: &place, padded: false };
    let mut fresh = text.get(..mark).unwrap_or_default().to_owned();
    if let Some(last) = comments(body).last() {
        fresh.push_str(body.get(..last.range.end).unwrap_or_default());
        fresh.push_str(place.line_end);
    }
    fresh.push_str(&ink.value(&Node::Object(fields)));
    fresh.push_str(place.line_end);
    fresh
}

/// Hooks by event, in order.
fn events<'h>(hooks: impl Iterator<Item = &'h Hook>, shape: Shape) -> Vec<(String, Node)> {
    let mut events: Vec<(String, Vec<Node>)> = Vec::new();
    for hook in hooks {
        let node = element(hook, shape);
        match events.iter_mut().find(|(event, _)| *event == hook.event) {
            Some((_, list)) => list.push(node),
            None => events.push((hook.event.clone(), vec![node])),
        }
    }
    events.into_iter().map(|(event, list)| (event, Node::List(list))).collect()
}

fn base_place(text: &str) -> Place {
    let line_end = match text.find('\n').and_then(|at| text.get(..at)) {
        Some(line) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    };
    Place {
        multi: true,
        indent: String::new(),
        outer: String::new(),
        unit: "  ".to_owned(),
        line_end,
        gap: " ",
        colon: " ",
        padding: "",
    }
}

/// All edits: applies each hook's fate and inserts the new ones.
pub(super) fn edits(
    document: &Document<'_>,
    style: &Style<'_>,
    plan: &Plan,
    wanted: &[Hook],
    ours: Ours<'_>,
    kept: &Kept,
) -> Vec<Edit> {
    let fresh = plan.fresh.iter().filter_map(|index| wanted.get(*index));
    let fresh = events(fresh, document.shape);
    Pass { document, wanted, ours, kept, fates: plan.fates.clone().into_iter(), fresh }.root(style)
}

/// One pass through a file.
struct Pass<'p, 'a> {
    document: &'p Document<'a>,
    wanted: &'p [Hook],
    ours: Ours<'p>,
    kept: &'p Kept,
    /// Fates of the remaining live hooks.
    fates: std::vec::IntoIter<Fate>,
    /// New hooks by event.
    fresh: Vec<(String, Node)>,
}

impl Pass<'_, '_> {
    fn root(mut self, style: &Style<'_>) -> Vec<Edit> {
        let document = self.document;
        let frame = frame_of_object(document.root);
        let place = self.root_place(&frame);
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for hooks in &document.hooks {
            let (inner, is_bare) = self.hooks(hooks, &place);
            let kept = !hooks.live || hooks.hides || self.kept.hooks;
            if is_bare && !kept && !inner.is_empty() {
                gone.push(hooks.index);
            } else {
                edits.extend(inner);
            }
        }
        for (index, property) in document.root.properties.iter().enumerate() {
            let name = property.name.as_str();
            let demanded = style.required.iter().any(|(required, value)| {
                *required == name && self.document.page.slice(range(&property.value)) == *value
            });
            if demanded && self.kept.ours.iter().any(|ours| ours == name) {
                gone.push(index);
            }
        }
        gone.sort_unstable();
        let fresh = self.fresh_keys(style, &place, &mut edits);
        edits.extend(document.page.change(&frame, &gone, &fresh, &place));
        edits
    }

    /// The required keys missing at the root; those that cannot be inserted first go last.
    fn fresh_keys(&self, style: &Style<'_>, place: &Place, edits: &mut Vec<Edit>) -> Vec<String> {
        let root = self.document.root;
        let mut fresh = Vec::new();
        if self.wanted.is_empty() {
            return fresh;
        }
        let ink = ink(place, None, self.document);
        for (name, value) in style.required.iter().filter(|(name, _)| last(root, name).is_none()) {
            let property = ink.property(name, &Node::Scalar((*value).to_owned()));
            if root.properties.is_empty() {
                fresh.push(property);
            } else {
                edits.extend(insert_first(self.document.page.text, root, &property));
            }
        }
        if self.document.hooks.is_empty() {
            fresh.push(ink.property("hooks", &Node::Object(self.fresh.clone())));
        }
        fresh
    }

    fn root_place(&self, frame: &Frame) -> Place {
        let page = &self.document.page;
        let mut base = base_place(page.text);
        page.own_line(self.document.root.range.start)
            .unwrap_or_default()
            .clone_into(&mut base.indent);
        if let Some(first) = self.document.root.properties.first() {
            let between = page.slice(first.name.range().end..first.value.range().start);
            if between == ":" {
                (base.gap, base.colon) = ("", "");
            }
        }
        page.place(frame, &base)
    }

    /// Edits inside one `hooks` key, and whether they leave it empty.
    fn hooks(&mut self, hooks: &Hooks<'_>, around: &Place) -> (Vec<Edit>, bool) {
        let page = &self.document.page;
        let frame = frame_of_object(hooks.object);
        let place = page.place(&frame, around);
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for list in &hooks.lists {
            let (inner, is_bare) = self.list(list, &place);
            let kept = self.kept.events.iter().any(|event| event == list.event);
            let kept = kept || !list.live || list.hides;
            if is_bare && !kept && !inner.is_empty() {
                gone.push(list.index);
            } else {
                edits.extend(inner);
            }
        }
        let mut fresh = Vec::new();
        if hooks.live {
            let known = |event: &str| hooks.lists.iter().any(|list| list.event == event);
            let ink = ink(&place, hooks.object.properties.last().map(range), self.document);
            let new = self.fresh.iter().filter(|(event, _)| !known(event));
            fresh.extend(new.map(|(event, list)| ink.property(event, list)));
        }
        let all_gone = gone.len() == frame.items.len() && fresh.is_empty();
        let is_bare = all_gone && page.left_over(&frame) == Some("");
        edits.extend(page.change(&frame, &gone, &fresh, &place));
        (edits, is_bare)
    }

    /// Edits inside the list of an event, and whether they leave it empty.
    fn list(&mut self, list: &List<'_>, around: &Place) -> (Vec<Edit>, bool) {
        let page = &self.document.page;
        let frame = frame_of_array(list.array);
        let place = page.place(&frame, around);
        let fates = self.fates_of(list);
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for (index, value) in list.array.elements.iter().enumerate() {
            let Some(object) = value.as_object() else { continue };
            let from = fates.partition_point(|(group, ..)| *group < index);
            let to = fates.partition_point(|(group, ..)| *group <= index);
            let of_this = fates.get(from..to).unwrap_or_default();
            let goes = match self.document.shape {
                Shape::Entries => match of_this.first() {
                    Some((.., Fate::Goes)) => true,
                    Some((.., Fate::Becomes(hook))) => {
                        edits.extend(self.handler(object, *hook, &place));
                        false
                    }
                    _ => false,
                },
                Shape::Groups => self.group(object, of_this, &place, &mut edits),
            };
            if goes {
                gone.push(index);
            }
        }
        let mut fresh = Vec::new();
        let new = self.fresh.iter().find(|(event, _)| list.live && event == list.event);
        if let Some((_, Node::List(nodes))) = new {
            let ink = ink(&place, frame.items.last().cloned(), self.document);
            fresh.extend(nodes.iter().map(|node| ink.value(node)));
        }
        let all_gone = gone.len() == frame.items.len() && fresh.is_empty();
        let is_bare = all_gone && page.left_over(&frame) == Some("");
        edits.extend(page.change(&frame, &gone, &fresh, &place));
        (edits, is_bare)
    }

    /// Group, handler and fate of each handler in a list. In lists that hosts ignore, ours are removed.
    fn fates_of(&mut self, list: &List<'_>) -> Vec<(usize, usize, Fate)> {
        let cells = self.document.cells(list.array);
        let mut fates = Vec::with_capacity(cells.len());
        for cell in cells {
            let fate = if list.live {
                self.fates.next().unwrap_or(Fate::Stays)
            } else if (self.ours)(&self.document.found(list.event, &cell)) {
                Fate::Goes
            } else {
                Fate::Stays
            };
            fates.push((cell.group, cell.handler, fate));
        }
        fates
    }

    /// Edits inside a group; `true` if the whole group is removed instead.
    fn group(
        &self,
        group: &Object<'_>,
        fates: &[(usize, usize, Fate)],
        around: &Place,
        edits: &mut Vec<Edit>,
    ) -> bool {
        let page = &self.document.page;
        let Some(array) = handlers(group) else { return false };
        let going = fates.iter().filter(|(.., fate)| *fate == Fate::Goes);
        let gone: Vec<usize> = going.map(|(_, handler, _)| *handler).collect();
        let plain = |name: &str| name == "hooks" || name == "matcher";
        let is_plain = group.properties.iter().all(|property| plain(property.name.as_str()));
        if !gone.is_empty() && gone.len() == array.elements.len() && is_plain {
            return true;
        }
        let place = page.place(&frame_of_object(group), around);
        let frame = frame_of_array(array);
        let inner = page.place(&frame, &place);
        for (_, handler, fate) in fates {
            let object = array.elements.get(*handler).and_then(|value| value.as_object());
            let (Fate::Becomes(hook), Some(object)) = (fate, object) else { continue };
            edits.extend(self.handler(object, *hook, &inner));
            if let Some(hook) = self.wanted.get(*hook) {
                let matcher = hook.matcher.as_deref().map(Value::from);
                let wanted = matcher.map(|value| ("matcher".to_owned(), value));
                let governs = |name: &str| name == "matcher";
                edits.extend(self.keys(group, wanted.as_slice(), &governs, around));
            }
        }
        edits.extend(page.change(&frame, &gone, &[], &inner));
        false
    }

    /// Changes a handler into the wanted one, key by key.
    fn handler(&self, object: &Object<'_>, hook: usize, around: &Place) -> Vec<Edit> {
        let Some(hook) = self.wanted.get(hook) else { return Vec::new() };
        let mut wanted = hook.fields.clone();
        if let (Shape::Entries, Some(matcher)) = (self.document.shape, &hook.matcher) {
            wanted.push(("matcher".to_owned(), Value::from(matcher.as_str())));
        }
        self.keys(object, &wanted, &|_| true, around)
    }

    /// Sets the managed keys of an object to the wanted values.
    fn keys(
        &self,
        object: &Object<'_>,
        wanted: &[(String, Value)],
        governs: &dyn Fn(&str) -> bool,
        around: &Place,
    ) -> Vec<Edit> {
        let page = &self.document.page;
        let frame = frame_of_object(object);
        let place = page.place(&frame, around);
        let ink = ink(&place, None, self.document);
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for (index, property) in object.properties.iter().enumerate() {
            let name = property.name.as_str();
            if !governs(name) {
                continue;
            }
            let counts = last(object, name).is_some_and(|last| last.range == property.range);
            match wanted.iter().find(|(wanted, _)| wanted == name) {
                Some((_, value)) if counts => {
                    if json_of(&property.value) != *value {
                        let range = range(&property.value);
                        let mut text = page.kept_comments(&range, &place);
                        text.push_str(&ink.value(&Node::from(value)));
                        edits.push(Edit { range, text });
                    }
                }
                _ => gone.push(index),
            }
        }
        let missing = wanted.iter().filter(|(name, _)| last(object, name).is_none());
        let fresh: Vec<String> =
            missing.map(|(name, value)| ink.property(name, &Node::from(value))).collect();
        edits.extend(page.change(&frame, &gone, &fresh, &place));
        edits
    }
}

fn range(value: &impl Ranged) -> std::ops::Range<usize> {
    let range = value.range();
    range.start..range.end
}

/// Formatting of a new item, copied from its neighbour.
fn ink<'p>(
    place: &'p Place,
    neighbour: Option<std::ops::Range<usize>>,
    document: &Document<'_>,
) -> Ink<'p> {
    let page = &document.page;
    let text = neighbour.map(|range| page.slice(range)).unwrap_or_default();
    let braced = text.find('{').and_then(|at| text.get(at + 1..));
    let on_one_line = braced.is_some() && !text.contains('\n');
    let multi = place.multi && !on_one_line;
    let padded = braced.is_some_and(|inner| inner.starts_with(' '));
    Ink { indent: multi.then_some(place.indent.as_str()), place, padded }
}
