//! Files of SFNN networks. A file does not name its shape reliably. Features and L1 follow from the
//! lengths of the transformer's lists, the rest from its text or the length of a stack.

use kiki_platform::SystemMemory;

use super::choice::{GameProgress, HandChoice, KingChoice};
use super::shape::{SfnnShape, StackChoice};
use crate::network::architecture::Architecture;
use crate::network::features::FeatureSet;
use crate::network::leb128;
use crate::network::numbers::NetworkFile;
use crate::network::parts::{FileBytes, GREATEST_LAYER, Hashes, NetworkHead};
use crate::network::transformer::Transformer;

/// The hash of every file of this form.
const FILE_HASH: u32 = 0x3C20_3B32;
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
const STACK_HASH: u32 = 0x6333_718A;
/// The greatest layers to try when a file does not name its shape.
const MOST_HIDDEN: usize = 128;

/// What the lists of a file say: the features and L1.
type TransformerShape = (FeatureSet, usize);

/// Says that a file is not the network that its text or, if `wanted`, the user names.
fn differs((features, l1): TransformerShape, rest: usize, expected: &SfnnShape, wanted: bool) -> String {
    let whose = if wanted { "that was asked for" } else { "that it says it is" };
    if (features, l1) != (expected.features, expected.l1) {
        return format!("it is an SFNN network of {} with L1 {l1}, not the {expected} {whose}", features.name());
    }
    let right = content_length(expected);
    format!("it has {rest} bytes after its transformer, not the {right} of the network {expected} {whose}")
}

/// Bytes after the transformer.
fn content_length(shape: &SfnnShape) -> usize {
    let progress = if shape.choice.has_progress() { 8 + 4 * GameProgress::WEIGHTS } else { 0 };
    progress + shape.choice.stacks() * shape.stack_length()
}

/// Whether a file is of this form, by its head and the bytes behind it. Files of the classic form
/// may have lists too.
pub(in crate::network) fn is_sfnn(head: &NetworkHead, rest: &[u8]) -> bool {
    head.text.contains("SFNN")
        || head.transformer_hash == TRANSFORMER_HASH
        || leb128::begins(rest.get(4..).unwrap_or_default()) && !head.text.contains("AffineTransform")
}

/// Reads a file after its head. Also returns warnings about oddities.
pub(in crate::network) fn read(
    head: &NetworkHead,
    mut bytes: FileBytes<'_>,
    wanted: Option<&SfnnShape>,
) -> Result<(NetworkFile, Vec<String>), String> {
    let mut notes = Vec::new();
    check(&mut notes, "transformer", bytes.word(), TRANSFORMER_HASH);
    let damaged = |error| format!("it is a damaged SFNN network: {error}");
    let biases = leb128::take(&mut bytes, leb128::BIASES).map_err(damaged)?;
    let weights = leb128::take(&mut bytes, leb128::WEIGHTS).map_err(damaged)?;
    let (features, l1) = transformer_shape(leb128::count(biases), leb128::count(weights))?;
    let (shape, note) = find_shape(head, (features, l1), bytes.0, wanted)?;
    notes.extend(note);

    // A system may promise more memory than it has.
    let available = SystemMemory::now().map_or(usize::MAX, |memory| memory.available);
    let needed = Transformer::length(l1, features.count()) >> 20;
    let too_large =
        || format!("it is an SFNN network whose transformer needs {needed} MiB of memory, more than there is");
    if needed > available {
        return Err(too_large());
    }
    let mut outcome = Ok(());
    let transformer = Transformer::with_rows(l1, features.count(), |numbers| {
        let (bias_numbers, weight_numbers) = numbers.split_at_mut(l1);
        outcome = leb128::read(biases, leb128::BIASES, bias_numbers)
            .and_then(|()| leb128::read(weights, leb128::WEIGHTS, weight_numbers));
    });
    let transformer = transformer.map_err(|_| too_large())?;
    outcome.map_err(damaged)?;

    check(&mut notes, "file", head.hash, shape.hashes().file);
    let check = |what: &str, found, usual| check(&mut notes, what, found, usual);
    Ok((NetworkFile::read_rest(Architecture::Sfnn(shape), transformer, &mut bytes, "stack", check), notes))
}

/// Warns of an unusual hash.
fn check(notes: &mut Vec<String>, what: &str, found: u32, usual: u32) {
    if found != usual {
        notes.push(format!("the network's {what} hash is {found:#010x}, usual is {usual:#010x}"));
    }
}

/// Features and L1, from the lengths of the transformer's lists.
fn transformer_shape(biases: usize, weights: usize) -> Result<TransformerShape, String> {
    let is_width = (1..=GREATEST_LAYER).contains(&biases) && biases.is_multiple_of(64);
    let features = FeatureSet::ALL.into_iter().find(|set| set.count() * biases == weights);
    match features {
        Some(features) if is_width => Ok((features, biases)),
        _ => Err(format!(
            "it is an SFNN network of an unknown shape or damaged: {biases} biases and {weights} weights of the \
             transformer fit no features"
        )),
    }
}

/// The wanted shape, or the one that the text names, or else the likeliest one by the lengths of
/// the parts. Also returns a warning.
fn find_shape(
    head: &NetworkHead,
    transformer: TransformerShape,
    rest: &[u8],
    wanted: Option<&SfnnShape>,
) -> Result<(SfnnShape, Option<String>), String> {
    let (features, l1) = transformer;
    let fits = |shape: &SfnnShape| {
        (shape.features, shape.l1) == transformer
            && content_length(shape) == rest.len()
            && shape.choice.has_progress() == begins_with(rest, GameProgress::HASH)
    };
    if let Some(shape) = wanted {
        return if fits(shape) { Ok((*shape, None)) } else { Err(differs(transformer, rest.len(), shape, true)) };
    }
    let named = named_shape(&head.text);
    if let Some(shape) = named.filter(fits) {
        return Ok((shape, None));
    }
    let found = shapes_by_length(transformer, rest).next();
    let unknown = || match named {
        Some(shape) => differs(transformer, rest.len(), &shape, false),
        None => format!(
            "it is an SFNN network of {} with L1 {l1} that is cut off, damaged or of an unknown shape: {} bytes after \
             its transformer fit no layers",
            features.name(),
            rest.len()
        ),
    };
    let shape = found.ok_or_else(unknown)?;
    let text = named.map_or("does not name its shape".to_owned(), |named| format!("names {named}"));
    let note = format!(
        "the network's text {text}: it is {shape} by the lengths of its parts; EvalArchitecture can name another"
    );
    Ok((shape, Some(note)))
}

fn begins_with(bytes: &[u8], word: u32) -> bool {
    bytes.starts_with(&word.to_le_bytes())
}

/// The shape that a text names, as other programs name it.
fn named_shape(text: &str) -> Option<SfnnShape> {
    let (_, name) = text.split_once("Network=")?;
    name.split(['{', ',', ';', '[', ' ']).next()?.parse().ok()
}

/// All shapes with this transformer that fit the lengths of the other parts, the likeliest first.
fn shapes_by_length((features, l1): TransformerShape, rest: &[u8]) -> impl Iterator<Item = SfnnShape> {
    let has_progress = begins_with(rest, GameProgress::HASH);
    let stacks = rest.get(if has_progress { 8 + 4 * GameProgress::WEIGHTS } else { 0 }..).unwrap_or_default();
    let mut shapes: Vec<SfnnShape> = Vec::new();
    let layer_sizes = (7..=MOST_HIDDEN).filter(|h1| matches!(h1 % 8, 0 | 7));
    for (h1, h2) in layer_sizes.flat_map(|h1| (1..=MOST_HIDDEN).map(move |h2| (h1, h2))) {
        let mut shape = SfnnShape { features, l1, h1, h2, shards: None, choice: StackChoice::SINGLE };
        let length = shape.stack_length();
        // With the right length, each stack ends where the next begins.
        if !stacks.is_empty()
            && stacks.len() % length == 0
            && stacks.chunks(length).all(|stack| begins_with(stack, STACK_HASH))
        {
            let choices = choices(stacks.len() / length, has_progress);
            shapes.extend(choices.into_iter().map(|choice| {
                shape.choice = choice;
                shape
            }));
        }
    }
    // Shapes of the same length: common ones first, then round sizes.
    let is_common = |shape: &SfnnShape| matches!((shape.h1, shape.h2), (15 | 7, 32 | 64));
    shapes.sort_by_key(|shape| (!is_common(shape), shape.h2 % 8));
    shapes.into_iter()
}

/// All ways to choose among this number of stacks, those without hands first.
fn choices(stacks: usize, has_progress: bool) -> Vec<StackChoice> {
    let hands = std::iter::once(None).chain(HandChoice::ALL.map(Some));
    let all = hands.flat_map(|hands| {
        let kings = std::iter::once(None).chain(KingChoice::ALL.map(Some));
        kings.flat_map(move |kings| {
            let progress = if has_progress { &StackChoice::PROGRESS[..] } else { &[1] };
            progress.iter().map(move |&progress| StackChoice { hands, kings, progress })
        })
    });
    all.filter(|choice| choice.stacks() == stacks).collect()
}

impl SfnnShape {
    pub(in crate::network) fn hashes(&self) -> Hashes {
        let file = if self.choice.has_progress() { FILE_HASH ^ GameProgress::HASH } else { FILE_HASH };
        Hashes { file, transformer: TRANSFORMER_HASH, stack: STACK_HASH }
    }
}
