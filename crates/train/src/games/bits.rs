//! Numbers as bits, the lowest bit first.

#[derive(Default)]
pub(super) struct CodeWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet, and their number.
    pending: u64,
    count: u32,
}

impl CodeWriter {
    /// Appends the lowest `count` bits of a number, at most 32.
    pub(super) fn push(&mut self, bits: u32, count: u32) {
        debug_assert!(count <= 32 && (count == 32 || bits >> count == 0));
        self.pending |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// Appends a number below `limit` in truncated binary: the first numbers take one bit less.
    pub(super) fn push_below(&mut self, number: u32, limit: u32) {
        let (width, short) = truncated_binary(limit);
        if number < short {
            self.push(number, width - 1);
        } else {
            // The lowest bit comes last: the bits before it tell whether it follows.
            let code = number + short;
            self.push(code >> 1, width - 1);
            self.push(code & 1, 1);
        }
    }

    /// Appends a number of at least 1 in Elias gamma: twice its bit length, less one.
    pub(super) fn push_count(&mut self, number: u32) {
        let width = number.ilog2();
        self.push(0, width);
        self.push(1, 1);
        self.push(number ^ 1 << width, width);
    }

    /// Appends a number in Golomb-Rice code: the bits above the lowest `low` in unary, then those
    /// bits. A number that needs [`MOST_ONES`] ones follows them in [`LONG`] bits.
    pub(super) fn push_rice(&mut self, number: u32, low: u32) {
        let ones = number >> low;
        if ones < MOST_ONES {
            self.push((1 << ones) - 1, ones + 1);
            self.push(number & ((1 << low) - 1), low);
        } else {
            self.push((1 << MOST_ONES) - 1, MOST_ONES);
            self.push(number, LONG);
        }
    }

    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte.into(), 8));
    }

    /// Fills the last byte with zeros and returns all bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Maximum number of ones that [`CodeWriter::push_rice`] writes.
pub(super) const MOST_ONES: u32 = 16;
/// Bits of a number that would need more ones.
pub(super) const LONG: u32 = 17;

/// Number of bits that [`CodeWriter::push_rice`] writes.
pub(super) fn rice_bits(number: u32, low: u32) -> u32 {
    let ones = number >> low;
    if ones < MOST_ONES { ones + 1 + low } else { MOST_ONES + LONG }
}

/// The length of the longer codes below `limit`, in bits, and how many numbers take one bit less.
fn truncated_binary(limit: u32) -> (u32, u32) {
    let width = limit.next_power_of_two().ilog2();
    // A single number takes no bits.
    if limit <= 1 { (1, 1) } else { (width, (1 << width) - limit) }
}

/// Reads bits from the start of bytes. After their end all bits are 0.
pub(super) struct CodeReader<'a> {
    bytes: &'a [u8],
    /// Index of the next bit.
    at: usize,
}

impl<'a> CodeReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits, at least 32 of them, without consuming them.
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        u64::from_le_bytes(word) >> (self.at % 8)
    }

    /// The next `count` bits as a number, at most 32.
    pub(super) fn read(&mut self, count: u32) -> u32 {
        let bits = self.peek() & ((1 << count) - 1);
        self.at += count as usize;
        bits as u32
    }

    pub(super) fn read_below(&mut self, limit: u32) -> u32 {
        let (width, short) = truncated_binary(limit);
        let start = self.read(width - 1);
        if start < short { start } else { (start << 1 | self.read(1)) - short }
    }

    /// The inverse of [`CodeWriter::push_count`]; `None` for what it does not write.
    pub(super) fn read_count(&mut self) -> Option<u32> {
        let width = self.peek().trailing_zeros();
        if width > 24 {
            return None;
        }
        self.at += width as usize + 1;
        Some(1 << width | self.read(width))
    }

    pub(super) fn read_rice(&mut self, low: u32) -> u32 {
        let ones = self.peek().trailing_ones();
        if ones < MOST_ONES {
            self.at += ones as usize + 1;
            ones << low | self.read(low)
        } else {
            self.at += MOST_ONES as usize;
            self.read(LONG)
        }
    }

    pub(super) fn read_bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.read(8) as u8)
    }

    /// Skips to the next whole byte. Returns false past the end of the bytes.
    pub(super) fn end_byte(&mut self) -> bool {
        self.at = self.at.next_multiple_of(8);
        self.at <= 8 * self.bytes.len()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= 8 * self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_every_code() {
        let numbers = [0, 1, 2, 3, 5, 8, 100, 1000, 65_535, (1 << LONG) - 1];
        let mut writer = CodeWriter::default();
        let mut bits = 0;
        for &number in &numbers {
            writer.push(number, 20);
            writer.push_count(number + 1);
            for low in [0, 3, 9] {
                writer.push_rice(number, low);
                bits += rice_bits(number, low);
            }
            bits += 20 + 2 * (number + 1).ilog2() + 1;
        }
        for limit in 1..40 {
            (0..limit).for_each(|number| writer.push_below(number, limit));
        }
        writer.push_bytes(&[7, 0xff]);
        let bytes = writer.finish();
        let mut reader = CodeReader::new(&bytes);
        for &number in &numbers {
            assert_eq!(reader.read(20), number);
            assert_eq!(reader.read_count(), Some(number + 1));
            for low in [0, 3, 9] {
                assert_eq!(reader.read_rice(low), number);
            }
        }
        assert_eq!(reader.at, bits as usize);
        for limit in 1..40 {
            for number in 0..limit {
                assert_eq!(reader.read_below(limit), number, "of {limit}");
            }
        }
        assert_eq!(reader.read_bytes(), [7, 0xff]);
        assert!(reader.end_byte() && reader.is_at_end());
        assert_eq!((reader.read(30), reader.read_count()), (0, None), "behind the end");
        assert!(!reader.end_byte());
    }

    #[test]
    fn numbers_below_a_limit_take_no_bit_more_than_they_need() {
        for (limit, bits) in [(1, 0), (2, 2), (3, 5), (4, 8), (5, 12), (20, 88)] {
            let mut writer = CodeWriter::default();
            (0..limit).for_each(|number| writer.push_below(number, limit));
            assert_eq!(8 * writer.bytes.len() as u32 + writer.count, bits, "all numbers below {limit}");
        }
    }
}
