//! Files of the classic form.

use super::shape::Shape;
use crate::network::architecture::Architecture;
use crate::network::leb128;
use crate::network::numbers::NetworkFile;
use crate::network::parts::{FileBytes, Hashes, NetworkHead};
use crate::network::transformer::Transformer;

/// Bytes before the numbers of the transformer, without the text.
const HEAD: usize = 16;

/// The numbers of the transformer in a file.
enum TransformerNumbers<'a> {
    /// Words of 16 bits.
    Words,
    /// Biases and weights in LEB128.
    Lists(&'a [u8], &'a [u8]),
}

impl<'a> TransformerNumbers<'a> {
    /// Takes lists out of what follows the transformer's hash, if there are any.
    fn take(bytes: &mut FileBytes<'a>) -> Result<Self, String> {
        if !leb128::begins(bytes.0) {
            return Ok(Self::Words);
        }
        Ok(Self::Lists(leb128::take(bytes, leb128::BIASES)?, leb128::take(bytes, leb128::WEIGHTS)?))
    }

    /// Bytes that the lists taken out would have as words; 0 without lists.
    fn length(&self) -> usize {
        match self {
            Self::Words => 0,
            Self::Lists(biases, weights) => 2 * (leb128::count(biases) + leb128::count(weights)),
        }
    }

    /// Biases and weights, taken from the bytes unless they are lists.
    fn read(self, bytes: &mut FileBytes<'_>, l1: usize, weights: usize) -> Result<[Vec<i16>; 2], String> {
        let list = |bytes, name| {
            let mut numbers = vec![0; leb128::count(bytes)];
            leb128::read(bytes, name, &mut numbers).map(|()| numbers)
        };
        match self {
            Self::Words => Ok([bytes.i16s(l1), bytes.i16s(weights)]),
            Self::Lists(biases, weights) => Ok([list(biases, leb128::BIASES)?, list(weights, leb128::WEIGHTS)?]),
        }
    }
}

/// Says that the size of a file is not that of the shape that it names, or fits no known network.
/// For a file with lists, `content` is that of the same file with words instead.
fn wrong_size(head: &NetworkHead, content: usize, named: Option<Shape>) -> String {
    let fault = match named {
        None => "fits no HalfKP or HalfKP_vm network".to_owned(),
        Some(shape) => {
            let right = shape.content_length() + head.text_length;
            format!("is not the {right} bytes of the network {shape} that it says it is")
        }
    };
    format!("its size of {} bytes {fault}", content + head.text_length)
}

/// The shape, and a warning about how it was found. A wanted shape is taken if the size matches.
/// Else the text of the file names its shape, or the hashes do, and the size must match: otherwise
/// the file is damaged. Only a file that names no shape is identified by its size alone.
fn shape_of(head: &NetworkHead, content: usize, wanted: Option<Shape>) -> Result<(Shape, Option<String>), String> {
    let fits = |shape: &Shape| shape.content_length() == content;
    let named = Shape::from_text(&head.text);
    if let Some(shape) = wanted.filter(fits).or(named.filter(fits)) {
        return Ok((shape, None));
    }
    let hashed = Shape::with_hashes(head.transformer_hash, head.hash ^ head.transformer_hash);
    if let Some(&shape) = hashed.iter().find(|shape| fits(shape)) {
        let note = named.map(|named| format!("the network's text names {named}: it is {shape} by its hashes and size"));
        return Ok((shape, note));
    }
    let named = named.or(hashed.first().copied());
    if named.is_none()
        && let Some(&shape) = Shape::with_content_length(content).first()
    {
        let note = format!("neither text nor hashes of the network name its shape: {shape} by its size");
        return Ok((shape, Some(note)));
    }
    Err(wrong_size(head, content, named))
}

/// Reads a file. Also returns warnings: hashes that differ from those of its shape, and a shape
/// that follows from the size alone.
pub(in crate::network) fn read(
    head: &NetworkHead,
    mut bytes: FileBytes<'_>,
    wanted: Option<Shape>,
) -> Result<(NetworkFile, Vec<String>), String> {
    bytes.take(4);
    let damaged = |error| format!("it is a damaged network of the classic form: {error}");
    let numbers = TransformerNumbers::take(&mut bytes).map_err(damaged)?;
    let (shape, note) = shape_of(head, HEAD + numbers.length() + bytes.0.len(), wanted)?;
    let Shape { features, l1, .. } = shape;
    let mut notes = Vec::from_iter(note);
    let mut check = |what: &str, found: u32, usual: u32| {
        if found != usual {
            notes.push(format!("the network's {what} hash is {found:#010x}, usual for {shape} is {usual:#010x}"));
        }
    };
    let Hashes { file, transformer, .. } = shape.hashes();
    check("file", head.hash, file);
    check("transformer", head.transformer_hash, transformer);
    if matches!(numbers, TransformerNumbers::Lists(biases, _) if leb128::count(biases) != l1) {
        return Err(wrong_size(head, shape.content_length(), None));
    }
    let [biases, weights] = numbers.read(&mut bytes, l1, l1 * features.count()).map_err(damaged)?;
    let transformer = Transformer::new(l1, &biases, &weights);
    Ok((NetworkFile::read_rest(Architecture::Classic(shape), transformer, &mut bytes, "layers", check), notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::features::FeatureSet;
    use crate::network::parts::MAGIC;

    /// The shape of a file by its size in bytes, its text and its hashes, and the warning.
    fn found(text: &str, [file, transformer]: [u32; 2], length: usize) -> Option<(Shape, Option<String>)> {
        let mut head: Vec<u8> = [MAGIC, file, text.len() as u32].iter().flat_map(|word| word.to_le_bytes()).collect();
        head.extend(text.as_bytes());
        head.extend(transformer.to_le_bytes());
        let head = NetworkHead::read(&mut FileBytes(&head), length).unwrap();
        shape_of(&head, length - text.len(), None).ok()
    }

    /// The same with the hashes of `hashed`.
    fn found_shape(text: &str, hashed: Shape, length: usize) -> Option<Shape> {
        let Hashes { file, transformer, .. } = hashed.hashes();
        found(text, [file, transformer], length).map(|(shape, _)| shape)
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
                        let found = found_shape(&text, shape, length);
                        assert_eq!(found, expected, "{shape}: {length} bytes instead of {right}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_of_another_shape_is_overruled_by_hashes_and_size() {
        let [wide, narrow] = [512, 256].map(|l1| Shape { features: FeatureSet::HalfKp, l1, h1: 32, h2: 32 });
        let text = narrow.text();
        assert_eq!(found_shape(&text, wide, wide.content_length() + text.len()), Some(wide));
        assert_eq!(found_shape(&text, narrow, wide.content_length() + text.len()), None);
    }

    #[test]
    fn a_file_that_says_nothing_is_taken_by_its_size() {
        let shape = Shape { features: FeatureSet::HalfKp, l1: 256, h1: 32, h2: 32 };
        let (found, note) = found("mine", [0x1234_5678, 0x9ABC_DEF0], shape.content_length() + 4).unwrap();
        assert_eq!(found, shape);
        assert_eq!(
            note.as_deref(),
            Some("neither text nor hashes of the network name its shape: HalfKP 256x2-32-32 by its size")
        );
    }
}
