//! What network files of both forms share: the head, and layers of 8-bit weights.

/// The greatest layer that a name may have, so that the length of a file does not overflow.
pub(super) const GREATEST_LAYER: usize = 1 << 14;

/// Why a name is not that of a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name:?} names no network: {reason}")]
pub struct ArchitectureError {
    /// The words.
    pub name: String,
    /// What is wrong with them.
    pub reason: String,
}

/// The size of a layer from its text.
pub(super) fn layer_size(text: &str) -> Option<usize> {
    text.parse().ok().filter(|size| (1..=GREATEST_LAYER).contains(size))
}

/// Rows of weights in a file are padded to a multiple of this number of bytes.
const ROW: usize = 32;

pub(super) const MAGIC: u32 = 0x7AF3_2F16;

/// The length of a row of weights in a file, in bytes.
fn row_length(inputs: usize) -> usize {
    inputs.next_multiple_of(ROW)
}

/// The length of layers in a file, in bytes, by their inputs and outputs.
pub(super) fn layers_length(layers: [(usize, usize); 3]) -> usize {
    layers.map(|(inputs, outputs)| outputs * (4 + row_length(inputs))).iter().sum()
}

/// The kind of a file that is not a network, by its first word or its length.
fn other_kind(first: u32, length: usize) -> Option<&'static str> {
    /// Numbers of squares, and of pieces on squares.
    const KINGS: usize = 81 * 81;
    const PIECES: usize = 1548;
    Some(match first {
        0x7AF3_2F17 => "a network of the form nn16 (16-bit layers), which Kiki does not read",
        0x7AF3_2F20 => "a network for chess (Stockfish)",
        _ if first & 0xFFFF == 0x8B1F => "compressed (gzip): unpack it first",
        _ if first == 0x0403_4B50 => "an archive (zip): unpack it first",
        _ if first == 0xAFBC_7A37 => "an archive (7z): unpack it first",
        _ if [8 * KINGS, 8 * KINGS * PIECES, 2 * 81 * PIECES * PIECES, 4 * 81 * PIECES * PIECES].contains(&length) => {
            "a table of pieces and kings (KPP, KPPT or KKPT), and no network"
        }
        _ => return None,
    })
}

/// The numbers of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerParameters {
    /// By output.
    pub biases: Vec<i32>,
    /// By output and input, without padding.
    pub weights: Vec<i8>,
}

impl LayerParameters {
    /// Appends the layer to a file: rows of weights are padded.
    pub(super) fn write(&self, inputs: usize, file: &mut Vec<u8>) {
        assert_eq!(self.weights.len(), inputs * self.biases.len());
        file.extend(self.biases.iter().flat_map(|bias| bias.to_le_bytes()));
        for row in self.weights.chunks_exact(inputs) {
            file.extend(row.iter().map(|&weight| weight as u8));
            file.resize(file.len() + row_length(inputs) - inputs, 0);
        }
    }
}

/// The words in a network file that stand for its parts.
pub(super) struct Hashes {
    pub(super) file: u32,
    pub(super) transformer: u32,
    pub(super) stack: u32,
}

/// Reads a file from the front.
pub(super) struct FileBytes<'a>(pub(super) &'a [u8]);

impl<'a> FileBytes<'a> {
    /// The next bytes; `None` if there are fewer. Before the other methods the caller checks that
    /// there are enough.
    pub(super) fn checked_take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(super) fn take(&mut self, count: usize) -> &'a [u8] {
        self.checked_take(count).expect("the length was checked")
    }

    pub(super) fn word(&mut self) -> u32 {
        let (&word, rest) = self.0.split_first_chunk().expect("the length was checked");
        self.0 = rest;
        u32::from_le_bytes(word)
    }

    pub(super) fn i16s(&mut self, count: usize) -> Vec<i16> {
        let (words, _) = self.take(2 * count).as_chunks();
        words.iter().map(|&word| i16::from_le_bytes(word)).collect()
    }

    pub(super) fn i32s(&mut self, count: usize) -> Vec<i32> {
        let (words, _) = self.take(4 * count).as_chunks();
        words.iter().map(|&word| i32::from_le_bytes(word)).collect()
    }

    pub(super) fn layer(&mut self, inputs: usize, outputs: usize) -> LayerParameters {
        let biases = self.i32s(outputs);
        let mut weights = Vec::with_capacity(inputs * outputs);
        for _ in 0..outputs {
            let row = self.take(row_length(inputs));
            weights.extend(row[..inputs].iter().map(|&byte| byte as i8));
        }
        LayerParameters { biases, weights }
    }
}

/// The head of a file before its numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkHead {
    /// Of the whole file.
    pub hash: u32,
    /// The description in the file.
    pub text: String,
    pub(super) text_length: usize,
    /// Of the transformer.
    pub transformer_hash: u32,
}

impl NetworkHead {
    /// Reads the beginning of a file of `length` bytes. The rest begins with the transformer's
    /// hash.
    pub(super) fn read(bytes: &mut FileBytes<'_>, length: usize) -> Result<Self, String> {
        let cut_off = || format!("it is cut off: it has only {length} bytes");
        if bytes.0.len() < 12 {
            return Err(cut_off());
        }
        let magic = bytes.word();
        if magic != MAGIC {
            let unknown = || format!("no network file: its first word is {magic:#010x}, not {MAGIC:#010x}");
            return Err(format!("it is {}", other_kind(magic, length).map_or_else(unknown, str::to_owned)));
        }
        let hash = bytes.word();
        let text_length = bytes.word() as usize;
        if bytes.0.len().saturating_sub(text_length) < 4 {
            return Err(cut_off());
        }
        let text = String::from_utf8_lossy(bytes.take(text_length)).into_owned();
        let head = Self { hash, text, text_length, transformer_hash: FileBytes(bytes.0).word() };
        head.other_kind().map_or(Ok(head), |kind| Err(format!("it is {kind}")))
    }

    /// The kind of a network that Kiki does not read, by its text: one for chess, or one with
    /// unknown parts.
    fn other_kind(&self) -> Option<&'static str> {
        let has = |word: &str| self.text.contains(word);
        Some(match () {
            // Feature counts of chess. The earliest networks of both games use the same words.
            () if has("[41024->") || has("[22528->") || has("[45056->") => "a network for chess (Stockfish)",
            () if has("PSQT") => "a network with values of pieces (PSQT), which Kiki does not read",
            () if has("Threat") => "a network that sees threats, which Kiki does not read",
            () if has("EffectBucket") || has("HalfKPE9") => "a network that sees effects, which Kiki does not read",
            () if has("progress8kpabs") => {
                "a network whose stacks are chosen by progress8kpabs, which Kiki does not know"
            }
            () => return None,
        })
    }
}
