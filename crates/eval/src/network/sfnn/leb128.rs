//! Lists of 16-bit numbers in signed LEB128, as network files hold them: 7 bits a byte, the lowest first; the top bit says that more follow.

/// Why a list cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Leb128Error {
    /// A number has a fourth byte.
    #[error("number {0} is longer than 16 bits")]
    TooLong(usize),
    /// The last number is not complete.
    #[error("its last number is cut off")]
    CutOff,
}

/// Bytes that are looked at together.
const CHUNK: usize = 32;

/// The number of numbers.
pub(super) fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte < 0x80).count()
}

/// Reads as many numbers as [`count`] says.
///
/// # Errors
/// If a number is too long, or the last one is cut off.
pub(super) fn read(bytes: &[u8], numbers: &mut [i16]) -> Result<(), Leb128Error> {
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
    // Bit 6 of the last byte is the sign; that of the third lies beyond 16 bits.
    let unused = 32 - 7 * length as u32;
    Some(((bits << unused).cast_signed() >> unused) as i16).map(|number| (number, length))
}

/// Writes numbers, each as short as it can be.
pub(super) fn write(numbers: &[i16], bytes: &mut Vec<u8>) {
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
        read(bytes, &mut numbers).map(|()| numbers)
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
            // Of the third byte two bits count.
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
