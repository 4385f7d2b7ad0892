//! Lists of 16-bit numbers in signed LEB128, as in network files: 7 bits a byte, the lowest first.
//! The top bit says that more follow. The word `COMPRESSED_LEB128` and the length in bytes precede
//! a list.

use super::parts::FileBytes;

/// The lists of a transformer, in errors: one number for each output, and the same for each
/// feature.
pub(super) const BIASES: &str = "biases of its transformer";
pub(super) const WEIGHTS: &str = "weights of its transformer";

/// Before each list.
const WORD: &[u8] = b"COMPRESSED_LEB128";

/// Whether a list begins here. Some programs write `_` before the word.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"_").unwrap_or(bytes).starts_with(WORD)
}

/// The bytes of the numbers of the next list.
pub(super) fn take<'a>(bytes: &mut FileBytes<'a>, list: &str) -> Result<&'a [u8], String> {
    let rest = bytes.0.strip_prefix(b"_").unwrap_or(bytes.0);
    let rest = rest.strip_prefix(WORD).ok_or_else(|| format!("the {list} do not begin with COMPRESSED_LEB128"))?;
    let cut_off = |length: usize, left: usize| format!("the {list} are {length} bytes, and {left} are left");
    let (length, rest) = rest.split_first_chunk().ok_or_else(|| cut_off(0, 0))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (numbers, rest) = rest.split_at_checked(length).ok_or_else(|| cut_off(length, rest.len()))?;
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
pub(super) fn read(bytes: &[u8], list: &str, numbers: &mut [i16]) -> Result<(), String> {
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
            let (number, length) =
                first(&bytes[at..]).ok_or_else(|| format!("of the {list} number {done} is longer than 16 bits"))?;
            numbers[done] = number;
            at += length;
            done += 1;
        }
    }
    if at == bytes.len() { Ok(()) } else { Err(format!("of the {list} the last number is cut off")) }
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

    fn read_all(bytes: &[u8]) -> Result<Vec<i16>, String> {
        let mut numbers = vec![0; count(bytes)];
        read(bytes, BIASES, &mut numbers).map(|()| numbers)
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
        let error = |bytes: &[u8]| read_all(&[&[1; 40], bytes].concat()).unwrap_err();
        let too_long = "of the biases of its transformer number 40 is longer than 16 bits";
        assert_eq!(error(&[0x80, 0x80, 0x80, 0x00]), too_long);
        for cut_off in [&[0x80][..], &[0x80; 3]] {
            assert_eq!(error(cut_off), "of the biases of its transformer the last number is cut off");
        }
    }
}
