//! Files of SFNN networks. A file does not name its shape reliably. Features and L1 follow from the
//! lengths of the transformer's lists, the rest from its text or the length of a stack.

use kiki_platform::SystemMemory;

use super::choice::{HandChoice, KingChoice, Progress};
use super::shape::{SfnnShape, StackChoice};
use crate::network::architecture::Architecture;
use crate::network::features::FeatureSet;
use crate::network::leb128::{self, List, ListError};
use crate::network::numbers::NetworkFile;
use crate::network::parts::{Bytes, GREATEST_LAYER, Hashes, Head};
use crate::network::transformer::Transformer;

/// The hash of every file of this form.
const FILE_HASH: u32 = 0x3C20_3B32;
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
const STACK_HASH: u32 = 0x6333_718A;
/// The greatest layers to try when a file does not name its shape.
const MOST_HIDDEN: usize = 128;

/// Why an SFNN file cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SfnnError {
    /// A list of the transformer is damaged or cut off.
    #[error("it is a damaged SFNN network: {0}")]
    List(#[from] ListError),
    /// The lengths of the lists fit no known features.
    #[error(
        "it is an SFNN network of an unknown shape or damaged: {biases} biases and {weights} weights of the transformer fit no features"
    )]
    Transformer {
        /// Numbers of the first list.
        biases: usize,
        /// Of the second.
        weights: usize,
    },
    /// It is not the network that its text or the user names.
    #[error("{}", differs(.transformer, *.rest, .expected, *.wanted))]
    Differs {
        /// The features and L1 of the file.
        transformer: (FeatureSet, usize),
        /// Bytes after the transformer.
        rest: usize,
        /// The network that was expected.
        expected: Box<SfnnShape>,
        /// Whether the user named it.
        wanted: bool,
    },
    /// Its stacks fit no known layers.
    #[error("it is an SFNN network of {features} with L1 {l1} that is cut off, damaged or of an unknown shape: {rest} bytes after its transformer fit no layers", features = .features.name())]
    Stacks {
        /// The features.
        features: FeatureSet,
        /// Outputs of the transformer.
        l1: usize,
        /// Bytes after the transformer.
        rest: usize,
    },
    /// It is too large for this machine.
    #[error("it is an SFNN network whose transformer needs {0} MiB of memory, more than there is")]
    Memory(usize),
}

fn differs(&(features, l1): &(FeatureSet, usize), rest: usize, expected: &SfnnShape, wanted: bool) -> String {
    let whose = if wanted { "that was asked for" } else { "that it says it is" };
    if (features, l1) != (expected.features, expected.l1) {
        return format!("it is an SFNN network of {} with L1 {l1}, not the {expected} {whose}", features.name());
    }
    let right = content_length(expected);
    format!("it has {rest} bytes after its transformer, not the {right} of the network {expected} {whose}")
}

/// Bytes after the transformer.
fn content_length(shape: &SfnnShape) -> usize {
    let progress = if shape.choice.has_progress() { 8 + 4 * Progress::WEIGHTS } else { 0 };
    progress + shape.choice.stacks() * shape.stack_length()
}

/// Whether a file is of this form, by its head and the bytes behind it. Files of the classic form
/// may have lists too.
pub(in crate::network) fn is_sfnn(head: &Head, rest: &[u8]) -> bool {
    head.text.contains("SFNN")
        || head.transformer_hash == TRANSFORMER_HASH
        || leb128::begins(rest.get(4..).unwrap_or_default()) && !head.text.contains("AffineTransform")
}

/// Reads a file after its head. Also returns warnings about oddities.
///
/// # Errors
/// If it is damaged, not the wanted network, of an unknown shape or too large.
pub(in crate::network) fn read(
    head: &Head,
    mut bytes: Bytes<'_>,
    wanted: Option<&SfnnShape>,
) -> Result<(NetworkFile, Vec<String>), SfnnError> {
    let mut notes = Vec::new();
    check(&mut notes, "transformer", bytes.word(), TRANSFORMER_HASH);
    let biases = leb128::take(&mut bytes, List::Biases)?;
    let weights = leb128::take(&mut bytes, List::Weights)?;
    let (features, l1) = transformer_shape(leb128::count(biases), leb128::count(weights))?;
    let (shape, note) = find_shape(head, (features, l1), bytes.0, wanted)?;
    notes.extend(note);

    // A system may promise more memory than it has.
    let available = SystemMemory::now().map_or(usize::MAX, |memory| memory.available);
    let needed = Transformer::length(l1, features.count()) >> 20;
    if needed > available {
        return Err(SfnnError::Memory(needed));
    }
    let mut outcome = Ok(());
    let transformer = Transformer::with_rows(l1, features.count(), |numbers| {
        let (bias_numbers, weight_numbers) = numbers.split_at_mut(l1);
        outcome = leb128::read(biases, List::Biases, bias_numbers)
            .and_then(|()| leb128::read(weights, List::Weights, weight_numbers));
    });
    let transformer = transformer.map_err(|_| SfnnError::Memory(needed))?;
    outcome?;

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
fn transformer_shape(biases: usize, weights: usize) -> Result<(FeatureSet, usize), SfnnError> {
    let is_width = (1..=GREATEST_LAYER).contains(&biases) && biases.is_multiple_of(64);
    let features = FeatureSet::ALL.into_iter().find(|set| set.count() * biases == weights);
    match features {
        Some(features) if is_width => Ok((features, biases)),
        _ => Err(SfnnError::Transformer { biases, weights }),
    }
}

/// The wanted shape, or the one that the text names, or else the likeliest one by the lengths of
/// the parts. Also returns a warning.
fn find_shape(
    head: &Head,
    transformer: (FeatureSet, usize),
    rest: &[u8],
    wanted: Option<&SfnnShape>,
) -> Result<(SfnnShape, Option<String>), SfnnError> {
    let (features, l1) = transformer;
    let fits = |shape: &SfnnShape| {
        (shape.features, shape.l1) == transformer
            && content_length(shape) == rest.len()
            && shape.choice.has_progress() == begins_with(rest, Progress::HASH)
    };
    let differs = |shape: SfnnShape, wanted| SfnnError::Differs {
        transformer,
        rest: rest.len(),
        expected: Box::new(shape),
        wanted,
    };
    if let Some(&shape) = wanted {
        return if fits(&shape) { Ok((shape, None)) } else { Err(differs(shape, true)) };
    }
    let named = named_shape(&head.text);
    if let Some(shape) = named.filter(fits) {
        return Ok((shape, None));
    }
    let found = shapes_by_length(transformer, rest).next();
    let unknown = || match named {
        Some(shape) => differs(shape, false),
        None => SfnnError::Stacks { features, l1, rest: rest.len() },
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
fn shapes_by_length((features, l1): (FeatureSet, usize), rest: &[u8]) -> impl Iterator<Item = SfnnShape> {
    let has_progress = begins_with(rest, Progress::HASH);
    let stacks = rest.get(if has_progress { 8 + 4 * Progress::WEIGHTS } else { 0 }..).unwrap_or_default();
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
        let file = if self.choice.has_progress() { FILE_HASH ^ Progress::HASH } else { FILE_HASH };
        Hashes { file, transformer: TRANSFORMER_HASH, stack: STACK_HASH }
    }
}
