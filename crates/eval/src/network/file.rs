//! Network files: the form that shogi programs share.

use super::affine::{Affine, OutputRow};
use super::layers::Layers;
use super::shape::{MAGIC, Shape, row_length};
use super::transformer::{LINE, Transformer};

/// Why a file is no network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// It does not begin as a network file does.
    #[error("it is no network file: its first word is {0:#010x}, not {MAGIC:#010x}")]
    Magic(u32),
    /// It ends before its head does.
    #[error("it is cut off: it has only {0} bytes")]
    Truncated(usize),
    /// Its size fits no network that is known.
    #[error(
        "its size of {length} bytes fits no HalfKP or HalfKP_vm network{}",
        .named.map_or_else(String::new, |shape| format!("; {shape} as its text says would have {}", shape.content_length() + .text))
    )]
    Size {
        /// The file's.
        length: usize,
        /// Of the text in it.
        text: usize,
        /// The shape that the text names.
        named: Option<Shape>,
    },
}

/// The numbers of a network as they stand in a file.
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

impl NetworkParameters {
    /// Reads a file. Also returns what is odd about it without making it unreadable: hashes that differ from those of its shape.
    ///
    /// # Errors
    /// If it is not a network file of a size that fits a shape.
    pub fn from_bytes(file: &[u8]) -> Result<(Self, Vec<String>), NetworkError> {
        if file.len() < 12 {
            return Err(NetworkError::Truncated(file.len()));
        }
        let mut bytes = Bytes(file);
        let magic = bytes.word();
        if magic != MAGIC {
            return Err(NetworkError::Magic(magic));
        }
        let hash = bytes.word();
        let text_length = bytes.word() as usize;
        let content = file.len().checked_sub(text_length).ok_or(NetworkError::Truncated(file.len()))?;
        if bytes.0.len() < text_length {
            return Err(NetworkError::Truncated(file.len()));
        }
        let text = String::from_utf8_lossy(bytes.take(text_length));
        let named = Shape::from_text(&text);
        let candidates = Shape::with_content_length(content);
        let shape = named.filter(|shape| shape.content_length() == content).or_else(|| candidates.first().copied());
        let Some(shape) = shape else {
            return Err(NetworkError::Size { length: file.len(), text: text_length, named });
        };
        let Shape { features, l1, h1, h2 } = shape;
        let mut notes = Vec::new();
        let mut check = |what: &str, found: u32, expected: u32| {
            if found != expected {
                notes
                    .push(format!("the network's {what} hash is {found:#010x}, usual for {shape} is {expected:#010x}"));
            }
        };
        check("file", hash, shape.transformer_hash() ^ shape.layers_hash());
        check("transformer", bytes.word(), shape.transformer_hash());
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
