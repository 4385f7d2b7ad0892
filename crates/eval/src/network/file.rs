//! Network files, in the form that shogi programs share, and the shapes of networks that they name.

use std::fmt;
use std::str::FromStr;

use super::affine::{Affine, OutputRow};
use super::features::FeatureSet;
use super::layers::Layers;
use super::transformer::{LINE, Transformer};

/// Rows of weights in a file are padded to a multiple of this number of bytes.
const ROW: usize = 32;

/// The first bytes of a network file.
pub(super) const MAGIC: u32 = 0x7AF3_2F16;

/// A network `L1 x2 - H1 - H2`: a transformer of the features of each side into L1 numbers, two hidden layers, one output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The features of each side.
    pub features: FeatureSet,
    /// Outputs of the transformer for each side.
    pub l1: usize,
    /// Outputs of the first hidden layer.
    pub h1: usize,
    /// Outputs of the second hidden layer.
    pub h2: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}x2-{}-{}", self.features.name(), self.l1, self.h1, self.h2)
    }
}

/// Why words name no shape.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no shape of a network: expected one like `HalfKP 256x2-32-32` or `HalfKP_vm 64x2-8-16`")]
pub struct ShapeError(String);

impl FromStr for Shape {
    type Err = ShapeError;

    /// Reads the output of `Display`.
    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let read = || {
            let (name, sizes) = text.trim().split_once(' ')?;
            let features = FeatureSet::ALL.into_iter().find(|set| set.name() == name)?;
            let (l1, hidden) = sizes.split_once("x2-")?;
            let (h1, h2) = hidden.split_once('-')?;
            Some(Self { features, l1: layer_size(l1)?, h1: layer_size(h1)?, h2: layer_size(h2)? })
        };
        read().ok_or_else(|| ShapeError(text.to_owned()))
    }
}

/// The size of a layer from its text, within a limit that keeps the length of a file countable.
fn layer_size(text: &str) -> Option<usize> {
    text.parse().ok().filter(|size| (1..=GREATEST_LAYER).contains(size))
}

/// The length of a row of weights in a file, in bytes.
pub(super) fn row_length(inputs: usize) -> usize {
    inputs.next_multiple_of(ROW)
}

impl Shape {
    /// Bytes of the numbers of a file, without the text: three words, the transformer's hash, the layers' hash, all weights.
    pub(super) fn content_length(&self) -> usize {
        let Self { features, l1, h1, h2 } = *self;
        let layer = |inputs: usize, outputs: usize| outputs * (4 + row_length(inputs));
        12 + 4 + 2 * l1 * (1 + features.count()) + 4 + layer(2 * l1, h1) + layer(h1, h2) + layer(h2, 1)
    }

    /// The text that describes the network in its file.
    pub(super) fn text(&self) -> String {
        let Self { features, l1, h1, h2 } = *self;
        let inputs = 2 * l1;
        format!(
            "Features={}(Friend)[{}->{l1}x2],Network=AffineTransform[1<-{h2}](ClippedReLU[{h2}](AffineTransform[{h2}<-{h1}]\
             (ClippedReLU[{h1}](AffineTransform[{h1}<-{inputs}](InputSlice[{inputs}(0:{inputs})])))))",
            features.name(),
            features.count()
        )
    }

    /// The shape that the text of a file names, if it names one in the usual words.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (head, layers) = text.split_once(",Network=")?;
        let features = FeatureSet::ALL.into_iter().find(|set| {
            let name = head.strip_prefix("Features=").and_then(|rest| rest.split(['(', '[']).next());
            name == Some(set.name())
        })?;
        let l1 = layer_size(head.split_once("->")?.1.split('x').next()?)?;
        let mut outputs = layers.split("AffineTransform[").skip(1).map(|part| layer_size(part.split("<-").next()?));
        let (Some(Some(1)), Some(Some(h2)), Some(Some(h1)), None) =
            (outputs.next(), outputs.next(), outputs.next(), outputs.next())
        else {
            return None;
        };
        Some(Self { features, l1, h1, h2 })
    }

    /// The hash of the transformer in a file.
    pub(super) fn transformer_hash(&self) -> u32 {
        self.features.hash() ^ (2 * self.l1) as u32
    }

    /// The hash of the layers in a file.
    pub(super) fn layers_hash(&self) -> u32 {
        let affine =
            |before: u32, outputs: usize| 0xCC03_DAE4_u32.wrapping_add(outputs as u32) ^ before >> 1 ^ before << 31;
        let relu = |before: u32| 0x538D_24C7_u32.wrapping_add(before);
        let input = 0xEC42_E90D ^ (2 * self.l1) as u32;
        affine(relu(affine(relu(affine(input, self.h1)), self.h2)), 1)
    }

    /// The shapes with these hashes of the transformer and of the layers. Several shapes share a hash: the likeliest are meant.
    pub(super) fn with_hashes(transformer: u32, layers: u32) -> Vec<Self> {
        let mut shapes = Vec::new();
        for features in FeatureSet::ALL {
            let inputs = (transformer ^ features.hash()) as usize;
            let l1 = inputs / 2;
            if inputs % 2 == 1 || !(1..=GREATEST_LAYER).contains(&l1) {
                continue;
            }
            for h1 in 1..=MOST_HIDDEN {
                let shape = |h2| Self { features, l1, h1, h2 };
                shapes.extend((1..=MOST_HIDDEN).map(shape).filter(|shape| shape.layers_hash() == layers));
            }
        }
        let likeliest = shapes.iter().map(Self::rank).min();
        shapes.retain(|shape| Some(shape.rank()) == likeliest);
        shapes
    }

    /// All shapes whose file has this number of bytes without the text, the likeliest first: those in common use, then those whose layers are
    /// multiples of 8.
    pub(super) fn with_content_length(length: usize) -> Vec<Self> {
        let mut shapes = Vec::new();
        for features in FeatureSet::ALL {
            // The transformer is nearly all of a file; the layers are less than three outputs of it.
            let most = length / (2 * (1 + features.count()));
            for l1 in (most.saturating_sub(3)..=most).filter(|&l1| l1 > 0) {
                for h1 in 1..=MOST_HIDDEN {
                    let shape = |h2| Self { features, l1, h1, h2 };
                    shapes.extend((1..=MOST_HIDDEN).map(shape).filter(|shape| shape.content_length() == length));
                }
            }
        }
        shapes.sort_by_key(Self::rank);
        shapes
    }

    /// Less for likelier shapes.
    fn rank(&self) -> (bool, usize) {
        (!self.is_common(), self.h1 % 8 + self.h2 % 8)
    }

    fn is_common(&self) -> bool {
        COMMON.contains(&(self.l1, self.h1, self.h2))
    }
}

/// The shapes that other programs use.
const COMMON: [(usize, usize, usize); 4] = [(256, 32, 32), (512, 16, 32), (1024, 8, 32), (1024, 8, 64)];

/// The greatest layer that words may name.
const GREATEST_LAYER: usize = 1 << 14;

/// The greatest hidden layer that is looked for when a file does not name its shape.
const MOST_HIDDEN: usize = 128;

/// The reason why a file is not a network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// It does not begin as a network file does.
    #[error("it is no network file: its first word is {0:#010x}, not {MAGIC:#010x}")]
    Magic(u32),
    /// It ends before its head does.
    #[error("it is cut off: it has only {0} bytes")]
    Truncated(usize),
    /// Its size is not that of the shape that it names, or fits no known network.
    #[error(
        "its size of {length} bytes {}",
        .named.map_or_else(|| "fits no HalfKP or HalfKP_vm network".to_owned(), |shape| {
            format!("is not the {} bytes of the network {shape} that it says it is", shape.content_length() + .text)
        })
    )]
    Size {
        /// The file's.
        length: usize,
        /// Of the text in it.
        text: usize,
        /// The shape that the text names, or else the hashes.
        named: Option<Shape>,
    },
}

/// The numbers of a network as stored in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkParameters {
    /// Features and sizes of layers.
    pub shape: Shape,
    /// Of the transformer: L1 numbers.
    pub transformer_biases: Vec<i16>,
    /// Of the transformer: L1 numbers for each feature.
    pub transformer_weights: Vec<i16>,
    /// The two hidden layers and the last one.
    pub layers: [LayerParameters; 3],
}

/// The numbers of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerParameters {
    /// By output.
    pub biases: Vec<i32>,
    /// By output and input, without padding.
    pub weights: Vec<i8>,
}

/// Reads words from the front of bytes that are known to be long enough.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(count);
        self.0 = rest;
        front
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (&front, rest) = self.0.split_first_chunk().expect("the length was checked");
        self.0 = rest;
        front
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        let (words, _) = self.take(2 * count).as_chunks();
        words.iter().map(|&word| i16::from_le_bytes(word)).collect()
    }

    fn layer(&mut self, inputs: usize, outputs: usize) -> LayerParameters {
        let biases = (0..outputs).map(|_| i32::from_le_bytes(self.array())).collect();
        let mut weights = Vec::with_capacity(inputs * outputs);
        for _ in 0..outputs {
            let row = self.take(row_length(inputs));
            weights.extend(row[..inputs].iter().map(|&byte| byte as i8));
        }
        LayerParameters { biases, weights }
    }
}

/// The header of a file before its numbers.
struct Head {
    /// Of the whole file, in bytes.
    length: usize,
    hash: u32,
    text: String,
    /// The length of the text in bytes.
    text_length: usize,
    transformer_hash: u32,
}

impl Head {
    /// Reads the beginning of a file of `length` bytes. What is left begins with the transformer's hash.
    fn read(bytes: &mut Bytes<'_>, length: usize) -> Result<Self, NetworkError> {
        let cut_off = || NetworkError::Truncated(length);
        if bytes.0.len() < 12 {
            return Err(cut_off());
        }
        let magic = bytes.word();
        if magic != MAGIC {
            return Err(NetworkError::Magic(magic));
        }
        let hash = bytes.word();
        let text_length = bytes.word() as usize;
        if bytes.0.len().saturating_sub(text_length) < 4 {
            return Err(cut_off());
        }
        let text = String::from_utf8_lossy(bytes.take(text_length)).into_owned();
        Ok(Self { length, hash, text, text_length, transformer_hash: Bytes(bytes.0).word() })
    }

    /// The shape, and warnings about how it was found. The text of a file names its shape, or else its hashes do, and the size must match:
    /// otherwise the file is damaged, even if its size fits another shape. The size alone decides for a file that names no shape.
    fn shape(&self) -> Result<(Shape, Option<String>), NetworkError> {
        let content = self.length.saturating_sub(self.text_length);
        let fits = |shape: &Shape| shape.content_length() == content;
        let named = Shape::from_text(&self.text);
        if let Some(shape) = named.filter(fits) {
            return Ok((shape, None));
        }
        let hashed = Shape::with_hashes(self.transformer_hash, self.hash ^ self.transformer_hash);
        if let Some(&shape) = hashed.iter().find(|shape| fits(shape)) {
            let note =
                named.map(|named| format!("the network's text names {named}: it is {shape} by its hashes and size"));
            return Ok((shape, note));
        }
        let named = named.or(hashed.first().copied());
        if named.is_none()
            && let Some(&shape) = Shape::with_content_length(content).first()
        {
            let note = format!("neither text nor hashes of the network name its shape: {shape} by its size");
            return Ok((shape, Some(note)));
        }
        Err(NetworkError::Size { length: self.length, text: self.text_length, named })
    }
}

impl NetworkParameters {
    /// Reads a file. Also returns oddities that do not make it unreadable: hashes that differ from those of its shape, and a shape that
    /// follows from the size alone.
    ///
    /// # Errors
    /// If it is not a network file, or not of the size of the shape that its text or its hashes name.
    pub fn from_bytes(file: &[u8]) -> Result<(Self, Vec<String>), NetworkError> {
        let mut bytes = Bytes(file);
        let head = Head::read(&mut bytes, file.len())?;
        let (shape, note) = head.shape()?;
        let Shape { features, l1, h1, h2 } = shape;
        let mut notes = Vec::from_iter(note);
        let mut check = |what: &str, found: u32, expected: u32| {
            if found != expected {
                notes
                    .push(format!("the network's {what} hash is {found:#010x}, usual for {shape} is {expected:#010x}"));
            }
        };
        check("file", head.hash, shape.transformer_hash() ^ shape.layers_hash());
        check("transformer", head.transformer_hash, shape.transformer_hash());
        bytes.take(4);
        let transformer_biases = bytes.i16s(l1);
        let transformer_weights = bytes.i16s(l1 * features.count());
        check("layers", bytes.word(), shape.layers_hash());
        let layers = [bytes.layer(2 * l1, h1), bytes.layer(h1, h2), bytes.layer(h2, 1)];
        Ok((Self { shape, transformer_biases, transformer_weights, layers }, notes))
    }

    /// The file.
    ///
    /// # Panics
    /// If the lists are not as long as the shape says.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Shape { features, l1, h1, h2 } = self.shape;
        assert_eq!(self.transformer_biases.len(), l1);
        assert_eq!(self.transformer_weights.len(), l1 * features.count());
        let text = self.shape.text();
        let (transformer, layers) = (self.shape.transformer_hash(), self.shape.layers_hash());
        let mut file = Vec::with_capacity(self.shape.content_length() + text.len());
        for word in [MAGIC, transformer ^ layers, text.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(text.as_bytes());
        file.extend(transformer.to_le_bytes());
        for numbers in [&self.transformer_biases, &self.transformer_weights] {
            file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        file.extend(layers.to_le_bytes());
        for (layer, (inputs, outputs)) in self.layers.iter().zip([(2 * l1, h1), (h1, h2), (h2, 1)]) {
            assert_eq!((layer.biases.len(), layer.weights.len()), (outputs, inputs * outputs));
            file.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
            for row in layer.weights.chunks_exact(inputs) {
                file.extend(row.iter().map(|&weight| weight as u8));
                file.resize(file.len() + row_length(inputs) - inputs, 0);
            }
        }
        file
    }

    pub(super) fn transformer(&self) -> Transformer {
        Transformer::new(self.shape.l1, &self.transformer_biases, &self.transformer_weights)
    }

    pub(super) fn hidden_and_last_layers(&self) -> Layers {
        let Shape { l1, h1, h2, .. } = self.shape;
        // Each side's inputs are padded to whole lines.
        let side = l1.next_multiple_of(LINE);
        let mut first = Vec::new();
        for inputs in self.layers[0].weights.chunks_exact(l1) {
            first.extend(inputs);
            first.resize(first.len() + side - l1, 0);
        }
        let [one, two, three] = &self.layers;
        let hidden = [Affine::new(2 * side, &one.biases, &first), Affine::new(h1, &two.biases, &two.weights)];
        debug_assert_eq!(three.weights.len(), h2);
        Layers::new(hidden, OutputRow::new(three.biases[0], &three.weights))
    }
}

#[cfg(test)]
mod tests {
    use crate::network::features::FeatureSet;

    use super::*;

    const STANDARD: Shape = Shape { features: FeatureSet::HalfKp, l1: 256, h1: 32, h2: 32 };

    #[test]
    fn hashes_and_text_of_the_standard_shape_are_those_in_use() {
        assert_eq!(STANDARD.transformer_hash(), 0x5D69_D7B8);
        assert_eq!(STANDARD.layers_hash(), 0x6333_7156);
        assert_eq!(STANDARD.transformer_hash() ^ STANDARD.layers_hash(), 0x3E5A_A6EE);
        assert_eq!(Shape::from_text(&STANDARD.text()), Some(STANDARD));
    }

    #[test]
    fn the_words_of_a_shape_are_read_again() {
        for shape in [STANDARD, Shape { features: FeatureSet::HalfKpVm, l1: 64, h1: 8, h2: 16 }] {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
        for text in ["", "HalfKP", "HalfKP 256-32-32", "Half 256x2-32-32", "HalfKP 0x2-32-32", "HalfKP 256x2-32-32-1"] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_shape_is_found_by_the_size_of_its_file() {
        for (l1, h1, h2) in COMMON.into_iter().chain([(32, 16, 16), (64, 8, 32), (128, 32, 32)]) {
            for features in FeatureSet::ALL {
                let shape = Shape { features, l1, h1, h2 };
                let found = Shape::with_content_length(shape.content_length());
                assert!(found.contains(&shape), "{shape}: {found:?}");
                assert!(!shape.is_common() || found[0] == shape, "{shape}: {found:?}");
            }
        }
        assert_eq!(Shape::with_content_length(STANDARD.content_length() + 1), []);
    }

    #[test]
    fn a_text_in_other_words_names_no_shape() {
        for text in [
            "",
            "Features=Other(Friend)[1->2x2],Network=AffineTransform[1<-2]",
            "Features=HalfKP(Friend)[1->x2],Network=",
            // The length of its file has no number.
            "Features=HalfKP(Friend)[1->9223372036854775807x2],Network=AffineTransform[1<-2](AffineTransform[2<-3](AffineTransform[3<-4](",
            "Features=HalfKP(Friend)[1->256x2],Network=AffineTransform[1<-2](AffineTransform[2<-3](AffineTransform[0<-4](",
        ] {
            assert_eq!(Shape::from_text(text), None, "{text}");
        }
    }

    /// The shape of a file by its size in bytes, its text and the hashes of `hashed`.
    fn shape_of(text: &str, hashed: Shape, length: usize) -> Option<Shape> {
        let (transformer, layers) = (hashed.transformer_hash(), hashed.layers_hash());
        let mut head = Vec::new();
        for word in [MAGIC, transformer ^ layers, text.len() as u32] {
            head.extend(word.to_le_bytes());
        }
        head.extend(text.as_bytes());
        head.extend(transformer.to_le_bytes());
        Head::read(&mut Bytes(&head), length).unwrap().shape().ok().map(|(shape, _)| shape)
    }

    #[test]
    fn a_file_of_another_size_than_its_text_or_its_hashes_say_is_refused() {
        let standard = Shape { features: FeatureSet::HalfKp, l1: 256, h1: 32, h2: 32 };
        for (l1, h1, h2) in [(256, 32, 32), (512, 16, 32), (1024, 8, 64), (32, 16, 16)] {
            for features in FeatureSet::ALL {
                let shape = Shape { features, l1, h1, h2 };
                for text in [shape.text(), String::new(), "another text".to_owned()] {
                    let right = shape.content_length() + text.len();
                    let step = if shape == standard && text == shape.text() { 1 } else { 49 };
                    for length in (right - 4998..=right + 4998).step_by(step) {
                        let expected = (length == right).then_some(shape);
                        assert_eq!(
                            shape_of(&text, shape, length),
                            expected,
                            "{shape}: {length} bytes instead of {right}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_of_another_shape_is_overruled_by_hashes_and_size() {
        let [wide, narrow] = [512, 256].map(|l1| Shape { features: FeatureSet::HalfKp, l1, h1: 32, h2: 32 });
        let text = narrow.text();
        assert_eq!(shape_of(&text, wide, wide.content_length() + text.len()), Some(wide));
        assert_eq!(shape_of(&text, narrow, wide.content_length() + text.len()), None);
    }

    #[test]
    fn a_file_that_says_nothing_is_taken_by_its_size() {
        let shape = Shape { features: FeatureSet::HalfKp, l1: 256, h1: 32, h2: 32 };
        let mut head = Vec::new();
        for word in [MAGIC, 0x1234_5678, 4] {
            head.extend(word.to_le_bytes());
        }
        head.extend(b"mine");
        head.extend(0x9ABC_DEF0_u32.to_le_bytes());
        let head = Head::read(&mut Bytes(&head), shape.content_length() + 4).unwrap();
        let (found, note) = head.shape().unwrap();
        assert_eq!(found, shape);
        assert_eq!(
            note.as_deref(),
            Some("neither text nor hashes of the network name its shape: HalfKP 256x2-32-32 by its size")
        );
    }
}
