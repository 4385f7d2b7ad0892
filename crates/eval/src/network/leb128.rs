//! Lists of 16-bit numbers in signed LEB128, as in network files: 7 bits a byte, the lowest first.
//! The top bit says that more follow. The word `COMPRESSED_LEB128` and the length in bytes precede
//! a list.

use std::fmt;

use super::parts::Bytes;

/// A list of the transformer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// One number for each output.
    Biases,
    /// The same number for each feature.
    Weights,
}

impl fmt::Display for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Biases => "biases of its transformer",
            Self::Weights => "weights of its transformer",
        })
    }
}

/// Why a list of a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListError {
    /// It does not begin with its word.
    #[error("the {0} do not begin with COMPRESSED_LEB128")]
    Word(List),
    /// It has more bytes than the rest of the file.
    #[error("the {list} are {length} bytes, and {left} are left")]
    CutOff {
        /// Which.
        list: List,
        /// Its length by the file.
        length: usize,
        /// Bytes left.
        left: usize,
    },
    /// Its numbers cannot be read.
    #[error("of the {0} {1}")]
    Numbers(List, Leb128Error),
}

/// Why numbers cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Leb128Error {
    /// A number has a fourth byte.
    #[error("number {0} is longer than 16 bits")]
    TooLong(usize),
    /// The last number is not complete.
    #[error("the last number is cut off")]
    CutOff,
}

/// Before each list.
const WORD: &[u8] = b"COMPRESSED_LEB128";

/// Whether a list begins here. Some programs write `_` before the word.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"_").unwrap_or(bytes).starts_with(WORD)
}

/// The bytes of the numbers of the next list.
///
/// # Errors
/// If no list begins here, or it is cut off.
pub(super) fn take<'a>(bytes: &mut Bytes<'a>, list: List) -> Result<&'a [u8], ListError> {
    let rest = bytes.0.strip_prefix(b"_").unwrap_or(bytes.0);
    let rest = rest.strip_prefix(WORD).ok_or(ListError::Word(list))?;
    let Some((length, rest)) = rest.split_first_chunk() else {
        return Err(ListError::CutOff { list, length: 0, left: 0 });
    };
    let length = u32::from_le_bytes(*length) as usize;
    let cut_off = ListError::CutOff { list, length, left: rest.len() };
    let (numbers, rest) = rest.split_at_checked(length).ok_or(cut_off)?;
    bytes.0 = rest;
    Ok(numbers)
}

/// Appends a list to a file.
pub(super) fn put<'a>(numbers: impl IntoIterator<Item = &'a i16>, file: &mut Vec<u8>) {
    file.extend(WORD);
    let start = file.len();
    file.extend([0; size_of::<u32>()]);
    write(numbers, file);
    let length = (file.len() - start - size_of::<u32>()) as u32;
    file[start..][..size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
}

/// Bytes that are checked together.
const CHUNK: usize = 32;

/// How many numbers there are.
pub(super) fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte < 0x80).count()
}

/// Reads the numbers of a list, as many as [`count`] says.
///
/// # Errors
/// If a number is too long, or the last one is cut off.
pub(super) fn read(bytes: &[u8], list: List, numbers: &mut [i16]) -> Result<(), ListError> {
    read_numbers(bytes, numbers).map_err(|error| ListError::Numbers(list, error))
}

fn read_numbers(bytes: &[u8], numbers: &mut [i16]) -> Result<(), Leb128Error> {
    let (mut at, mut done) = (0, 0);
    while done < numbers.len() {
        // Most numbers have one byte.
        if let (Some(chunk), Some(target)) =
            (bytes[at..].first_chunk::<CHUNK>(), numbers[done..].first_chunk_mut::<CHUNK>())
            && chunk.iter().fold(0, |all, byte| all | byte) < 0x80
        {
            *target = chunk.map(|byte| i16::from((byte << 1) as i8 >> 1));
            at += CHUNK;
            done += CHUNK;
            continue;
        }
        // The numbers that begin in this chunk, one by one.
        let end = (at + CHUNK).min(bytes.len());
        while at < end && done < numbers.len() {
            let (number, length) = first(&bytes[at..]).ok_or(Leb128Error::TooLong(done))?;
            numbers[done] = number;
            at += length;
            done += 1;
        }
    }
    if at == bytes.len() { Ok(()) } else { Err(Leb128Error::CutOff) }
}

/// The first number and its length in bytes. `None` if it has more than three.
fn first(bytes: &[u8]) -> Option<(i16, usize)> {
    let length = 1 + bytes.iter().take(3).position(|&byte| byte < 0x80)?;
    let bits = bytes[..length].iter().rev().fold(0, |bits, byte| bits << 7 | u32::from(byte & 0x7F));
    // Bit 6 of the last byte is the sign. In a third byte it lies beyond 16 bits.
    let unused = 32 - 7 * length as u32;
    Some(((bits << unused).cast_signed() >> unused) as i16).map(|number| (number, length))
}

/// Writes numbers, each in as few bytes as possible.
fn write<'a>(numbers: impl IntoIterator<Item = &'a i16>, bytes: &mut Vec<u8>) {
    for &number in numbers {
        let mut rest = number;
        while !(-64..64).contains(&rest) {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8 & 0x7F);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    fn read_all(bytes: &[u8]) -> Result<Vec<i16>, Leb128Error> {
        let mut numbers = vec![0; count(bytes)];
        read_numbers(bytes, &mut numbers).map(|()| numbers)
    }

    #[test]
    fn every_number_is_read_as_it_was_written() {
        let all: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        let mut bytes = Vec::new();
        write(&all, &mut bytes);
        assert_eq!(bytes.len(), 128 + 2 * (16_384 - 128) + 3 * (65_536 - 16_384));
        assert_eq!(read_all(&bytes), Ok(all));
    }

    #[test]
    fn lists_of_mostly_short_numbers_are_read_as_they_were_written() {
        let mut random = StdRng::seed_from_u64(1);
        for length in 0..300 {
            let mut number =
                || if random.random_range(0..40) == 0 { random.random() } else { random.random_range(-64..64) };
            let numbers: Vec<i16> = (0..length).map(|_| number()).collect();
            let mut bytes = Vec::new();
            write(&numbers, &mut bytes);
            assert_eq!(read_all(&bytes), Ok(numbers));
        }
    }

    #[test]
    fn longer_forms_than_needed_are_read() {
        for (bytes, number) in [
            (&[0x85, 0x00][..], 5),
            (&[0x85, 0x80, 0x00], 5),
            (&[0xFB, 0x7F], -5),
            (&[0xFB, 0xFF, 0x03], -5),
            // Only two bits of the third byte count.
            (&[0xFB, 0xFF, 0x7F], -5),
            (&[0x80, 0x80, 0x7E], i16::MIN),
        ] {
            assert_eq!(read_all(bytes), Ok(vec![number]), "{bytes:x?}");
        }
    }

    #[test]
    fn numbers_that_are_too_long_or_cut_off_are_refused() {
        let padded = |bytes: &[u8]| [&[1; 40], bytes].concat();
        assert_eq!(read_all(&padded(&[0x80, 0x80, 0x80, 0x00])), Err(Leb128Error::TooLong(40)));
        assert_eq!(read_all(&padded(&[0x80])), Err(Leb128Error::CutOff));
        assert_eq!(read_all(&padded(&[0x80, 0x80, 0x80])), Err(Leb128Error::CutOff));
    }
}
