//! Rules for the pages: short sentences, short lines, existing paths. Code, tables and headings are
//! not prose.

use std::path::Path;

use crate::source::{Texts, refuse, root, rust_sources, sources};

/// Most words in a sentence.
const MOST_WORDS: usize = 40;

/// Most words in a sentence, on average over a page.
const MEAN_WORDS: usize = 25;

/// Most characters in a line, without code and link targets, which cannot be broken.
const MOST_CHARACTERS: usize = 100;

/// A line of prose.
struct ProseLine<'text> {
    /// From 1.
    number: usize,
    text: &'text str,
    /// Whether a paragraph or a list item begins here.
    begins: bool,
}

fn pages() -> Texts {
    let pages = sources(|name| name.ends_with(".md"));
    assert!(pages.contains_key("docs/architecture.md"), "the pages are seen");
    pages
}

fn prose(page: &str) -> Vec<ProseLine<'_>> {
    let mut lines = Vec::new();
    let mut fence = None;
    let mut begins = true;
    for (index, line) in page.lines().enumerate() {
        let text = line.trim();
        if let Some(closing) = fence {
            fence = (!text.starts_with(closing)).then_some(closing);
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|fence| text.starts_with(fence));
        if fence.is_some() || text.is_empty() || text.starts_with(['|', '#', '<']) {
            begins = true;
        } else {
            lines.push(ProseLine { number: index + 1, text: line, begins: begins || without_mark(text) != text });
            begins = false;
        }
    }
    lines
}

/// The text of a list item without its mark.
fn without_mark(text: &str) -> &str {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let mark = if digits.len() < text.len() { digits.strip_prefix(". ") } else { text.strip_prefix("- ") };
    mark.unwrap_or(text)
}

/// The text with each piece of code as one word, and links without their targets.
fn as_read(text: &str) -> String {
    let mut read = String::new();
    for (index, part) in text.split('`').enumerate() {
        read.push_str(if index % 2 == 0 { part } else { "Code" });
    }
    without_targets(read)
}

fn without_targets(mut text: String) -> String {
    while let Some(start) = text.find("](") {
        let end = text[start..].find(')').map_or(text.len(), |length| start + length + 1);
        text.replace_range(start..end, "]");
    }
    text
}

/// The sentences of the prose: the first line of the paragraph of each, and its text.
fn sentences(lines: &[ProseLine<'_>]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for paragraph in lines.chunk_by(|_, next| !next.begins) {
        let text: Vec<&str> = paragraph.iter().map(|line| line.text.trim()).collect();
        let read = as_read(without_mark(&text.join(" ")));
        let mut words = read.split_whitespace().peekable();
        let mut sentence: Vec<&str> = Vec::new();
        while let Some(word) = words.next() {
            sentence.push(word);
            let ends = word.trim_end_matches([')', '*', '"', ']']).ends_with(['.', '!', '?']);
            // A small letter continues the sentence: after an abbreviation, or two dots.
            if words.peek().is_none_or(|next| ends && !next.starts_with(char::is_lowercase)) {
                found.push((paragraph[0].number, sentence.join(" ")));
                sentence.clear();
            }
        }
    }
    found
}

fn count_words(sentence: &str) -> usize {
    sentence.split(' ').filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The characters of a line without code and link targets.
fn length(line: &str) -> usize {
    let code: usize = line.split('`').skip(1).step_by(2).map(|code| code.chars().count()).sum();
    let links = line.split("](").skip(1);
    let targets: usize = links.map(|rest| rest.chars().take_while(|&letter| letter != ')').count()).sum();
    line.chars().count() - code - targets
}

#[test]
fn sentences_and_lines_are_short() {
    let mut found = Vec::new();
    for (name, page) in pages() {
        let lines = prose(&page);
        let long = lines.iter().filter(|line| length(line.text) > MOST_CHARACTERS);
        found.extend(long.map(|line| format!("{name}:{}: {} characters", line.number, length(line.text))));
        let sentences = sentences(&lines);
        let mut sum = 0;
        for (line, sentence) in &sentences {
            let words = count_words(sentence);
            sum += words;
            if words > MOST_WORDS {
                found.push(format!("{name}:{line}: a sentence of {words} words: {sentence}"));
            }
        }
        if sum > MEAN_WORDS * sentences.len() {
            found.push(format!("{name}: {sum} words in {} sentences", sentences.len()));
        }
    }
    refuse(&found);
}

/// Dated pages may name files that have since moved.
fn is_dated(name: &str) -> bool {
    ["docs/decisions/", "docs/experiments/", "CHANGELOG"].iter().any(|start| name.starts_with(start))
}

/// The pieces of code on a page that look like a path or a name. One in capitals stands for others.
fn words_of_code(page: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    let is_placeholder = |path: &str| path.split(['/', '.']).any(|part| part.len() > 1 && part == part.to_uppercase());
    let code = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    code.filter(move |word| word.chars().all(is_part) && !is_placeholder(word))
}

/// The paths in code on a page, from the repository's root.
fn paths(page: &str) -> Vec<&str> {
    let folders =
        [".ci/", ".github/", "bench/", "crates/", "docs/", "engine/", "examples/", "fuzz/", "scripts/", "tests/"];
    words_of_code(page).filter(|path| folders.iter().any(|folder| path.starts_with(folder))).collect()
}

#[test]
fn pages_name_paths_that_exist() {
    let rust = rust_sources();
    let mut found = Vec::new();
    for (name, page) in pages().iter().filter(|(name, _)| !is_dated(name)) {
        let missing = paths(page).into_iter().filter(|path| !root().join(path).exists());
        // A page that has named a crate names its Rust files by the end of their path.
        let ends = words_of_code(page).filter(|word| word.ends_with(".rs"));
        let unknown = ends.filter(|end| !rust.keys().any(|file| file == end || file.ends_with(&format!("/{end}"))));
        found.extend(missing.into_iter().chain(unknown).map(|path| format!("{name}: {path} does not exist")));
    }
    refuse(&found);
}

/// The name under which GitHub lets a link find a heading.
fn anchor(heading: &str) -> String {
    let text = without_targets(heading.trim_start_matches('#').trim().to_lowercase());
    text.replace(' ', "-").chars().filter(|&letter| letter.is_alphanumeric() || "-_".contains(letter)).collect()
}

/// Why a link of a page in a folder leads nowhere.
fn fault(folder: &Path, page: &str, link: &str) -> Option<String> {
    let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
    let path = folder.join(path);
    let target =
        if path == folder.join("") { page.to_owned() } else { std::fs::read_to_string(&path).unwrap_or_default() };
    let is_found = wanted.is_empty() || target.lines().any(|line| line.starts_with('#') && anchor(line) == wanted);
    (!path.exists() || !is_found).then(|| link.to_owned())
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut found = Vec::new();
    for (name, page) in pages() {
        let path = root().join(&name);
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        let links = links.filter(|link| !link.contains(char::is_whitespace) && !link.contains("://"));
        let faults = links.filter_map(|link| fault(path.parent().expect("a folder"), &page, link));
        found.extend(faults.map(|link| format!("{name}: {link} leads nowhere")));
    }
    refuse(&found);
    let page = "## A `heading` of [two](x.md), words\n";
    assert_eq!(fault(&root(), page, "#a-heading-of-two-words"), None);
    for link in ["#two", "docs/none.md", "README.md#none"] {
        assert_eq!(fault(&root(), page, link).as_deref(), Some(link));
    }
}

#[test]
fn sentences_end_where_readers_see_it() {
    let page = "# A heading. Of two\n\nOne two. Three (four\nfive.) `six. seven` eight, i.e. nine.\n\n```\nno prose. At all\n```\n\
                | no | prose. |\n- an [item of](a.b. C) five words\n  goes on\n1. Another\n";
    let sentences: Vec<(usize, String)> = sentences(&prose(page));
    let expected = [
        (3, "One two."),
        (3, "Three (four five.)"),
        (3, "Code eight, i.e. nine."),
        (10, "an [item of] five words goes on"),
        (12, "Another"),
    ];
    assert_eq!(sentences, expected.map(|(line, text)| (line, text.to_owned())));
}
