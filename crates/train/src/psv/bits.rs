//! The 256 bits of a packed position, lowest bit of the first byte first.

/// The bits in a packed position.
pub(super) const BITS: usize = 256;

/// Appends bits.
#[derive(Default)]
pub(super) struct BitWriter {
    words: [u64; BITS / 64],
    len: usize,
}

impl BitWriter {
    /// Appends the `count` lowest bits of a number (at most 8), the lowest first. What goes beyond the end is lost.
    pub(super) fn push(&mut self, value: u8, count: usize) {
        let (word, shift) = (self.len / 64, self.len % 64);
        self.len += count;
        if word < self.words.len() {
            self.words[word] |= u64::from(value) << shift;
        }
        if shift + count > 64 && word + 1 < self.words.len() {
            self.words[word + 1] |= u64::from(value) >> (64 - shift);
        }
    }

    /// The bytes; `None` if other than 256 bits were appended.
    pub(super) fn finish(self) -> Option<[u8; BITS / 8]> {
        let mut bytes = [0; BITS / 8];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        (self.len == BITS).then_some(bytes)
    }
}

/// Reads bits from the beginning.
pub(super) struct BitReader {
    words: [u64; BITS / 64],
    position: usize,
}

impl BitReader {
    pub(super) fn new(bytes: &[u8; BITS / 8]) -> Self {
        let word = |index: usize| {
            let part = &bytes[8 * index..8 * index + 8];
            part.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        Self { words: std::array::from_fn(word), position: 0 }
    }

    /// How many bits have been read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next bits without reading them, at most 8, the first one lowest; zeros beyond the end.
    pub(super) fn peek(&self, count: usize) -> u8 {
        let (word, shift) = (self.position / 64, self.position % 64);
        let low = self.words.get(word).map_or(0, |bits| bits >> shift);
        let high = if shift == 0 { 0 } else { self.words.get(word + 1).map_or(0, |bits| bits << (64 - shift)) };
        ((low | high) & ((1 << count) - 1)) as u8
    }

    /// Passes over so many bits.
    pub(super) fn skip(&mut self, count: usize) {
        self.position += count;
    }

    /// The next bits, at most 8, the first one lowest.
    pub(super) fn read(&mut self, count: usize) -> u8 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_across_words_is_read_back() {
        let mut writer = BitWriter::default();
        let lengths: Vec<usize> = (0..64).map(|i| i % 7 + 1).collect();
        let total: usize = lengths.iter().sum();
        let values: Vec<u8> = lengths.iter().enumerate().map(|(i, len)| (i * 37 % (1 << len)) as u8).collect();
        lengths.iter().zip(&values).for_each(|(&len, &value)| writer.push(value, len));
        (total..BITS).for_each(|_| writer.push(0, 1));
        let mut reader = BitReader::new(&writer.finish().unwrap());
        for (&len, &value) in lengths.iter().zip(&values) {
            assert_eq!(reader.read(len), value);
        }
        assert_eq!(reader.position(), total);
    }

    #[test]
    fn other_lengths_are_refused() {
        for len in [255, 257] {
            let mut writer = BitWriter::default();
            (0..len).for_each(|_| writer.push(1, 1));
            assert_eq!(writer.finish(), None);
        }
    }
}
