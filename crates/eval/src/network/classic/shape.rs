//! The shapes of networks of the classic form.

use std::fmt;
use std::str::FromStr;

use crate::network::features::FeatureSet;
use crate::network::parts::{ArchitectureError, GREATEST_LAYER, Hashes, layer_size, layers_length};

/// A network `L1 x2 - H1 - H2`: a transformer from the features of each side to L1 numbers, two
/// hidden layers, one output.
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

impl FromStr for Shape {
    type Err = ArchitectureError;

    /// Reads the output of `Display`, in either case; `_` may replace the space.
    fn from_str(text: &str) -> Result<Self, ArchitectureError> {
        let read = || {
            let (name, sizes) = text.trim().rsplit_once([' ', '_'])?;
            let name = name.to_ascii_lowercase().replace(['_', '-', '+'], "");
            let features = FeatureSet::ALL.into_iter().find(|set| set.word() == name)?;
            let (l1, hidden) = sizes.split_once("x2-")?;
            let (h1, h2) = hidden.split_once('-')?;
            Some(Self { features, l1: layer_size(l1)?, h1: layer_size(h1)?, h2: layer_size(h2)? })
        };
        read().ok_or_else(|| {
            let reason = "expected one like `HalfKP_vm 256x2-32-32` or `SFNN_halfkahm2_1536_15_32_k3k3`".to_owned();
            ArchitectureError { name: text.to_owned(), reason }
        })
    }
}

impl Shape {
    pub(in crate::network) fn layers(&self) -> [(usize, usize); 3] {
        let Self { l1, h1, h2, .. } = *self;
        [(2 * l1, h1), (h1, h2), (h2, 1)]
    }

    /// Bytes of the numbers of a file, without the text: three words, the transformer's hash, the
    /// layers' hash, all weights.
    pub(in crate::network) fn content_length(&self) -> usize {
        let transformer = 2 * self.l1 * (1 + self.features.count());
        12 + 4 + transformer + 4 + layers_length(self.layers())
    }

    /// The text that describes the network in its file.
    pub(in crate::network) fn text(&self) -> String {
        let Self { features, l1, h1, h2 } = *self;
        let inputs = 2 * l1;
        format!(
            "Features={}[{}->{l1}x2],Network=AffineTransform[1<-{h2}](ClippedReLU[{h2}](AffineTransform[{h2}<-{h1}]\
             (ClippedReLU[{h1}](AffineTransform[{h1}<-{inputs}](InputSlice[{inputs}(0:{inputs})])))))",
            features.description(),
            features.count()
        )
    }

    /// The shape that the text of a file names in the usual words.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (head, layers) = text.split_once(",Network=")?;
        let features = FeatureSet::ALL.into_iter().find(|set| {
            let name = head.strip_prefix("Features=").and_then(|rest| rest.split(['(', '[']).next());
            name == Some(set.name())
        })?;
        let l1 = layer_size(head.split_once("->")?.1.split('x').next()?)?;
        // Some programs write `AffineTransformSparseInput`.
        let output = |part: &str| layer_size(part.split_once('[')?.1.split("<-").next()?);
        let mut outputs = layers.split("AffineTransform").skip(1).map(output);
        let (Some(Some(1)), Some(Some(h2)), Some(Some(h1)), None) =
            (outputs.next(), outputs.next(), outputs.next(), outputs.next())
        else {
            return None;
        };
        Some(Self { features, l1, h1, h2 })
    }

    pub(in crate::network) fn hashes(&self) -> Hashes {
        let (transformer, stack) = (self.features.facts().hash ^ (2 * self.l1) as u32, self.layers_hash());
        Hashes { file: transformer ^ stack, transformer, stack }
    }

    fn layers_hash(&self) -> u32 {
        let affine =
            |before: u32, outputs: usize| 0xCC03_DAE4_u32.wrapping_add(outputs as u32) ^ before >> 1 ^ before << 31;
        let relu = |before: u32| 0x538D_24C7_u32.wrapping_add(before);
        let input = 0xEC42_E90D ^ (2 * self.l1) as u32;
        affine(relu(affine(relu(affine(input, self.h1)), self.h2)), 1)
    }

    /// The shapes with hidden layers of up to [`MOST_HIDDEN`] outputs.
    fn with_any_layers(features: FeatureSet, l1: usize) -> impl Iterator<Item = Self> {
        (1..=MOST_HIDDEN).flat_map(move |h1| (1..=MOST_HIDDEN).map(move |h2| Self { features, l1, h1, h2 }))
    }

    /// The shapes with these hashes of the transformer and of the layers. Several shapes share a
    /// hash: the likeliest come back.
    pub(super) fn with_hashes(transformer: u32, layers: u32) -> Vec<Self> {
        let mut shapes = Vec::new();
        for features in FeatureSet::ALL {
            let inputs = (transformer ^ features.facts().hash) as usize;
            let l1 = inputs / 2;
            if inputs % 2 == 1 || !(1..=GREATEST_LAYER).contains(&l1) {
                continue;
            }
            shapes.extend(Self::with_any_layers(features, l1).filter(|shape| shape.layers_hash() == layers));
        }
        let likeliest = shapes.iter().map(Self::rank).min();
        shapes.retain(|shape| Some(shape.rank()) == likeliest);
        shapes
    }

    /// All shapes whose file has this many bytes without the text. The likeliest come first: common
    /// ones, then those with layers that are multiples of 8.
    pub(super) fn with_content_length(length: usize) -> Vec<Self> {
        let mut shapes = Vec::new();
        for features in FeatureSet::ALL.into_iter().filter(|set| set.depends_on_king()) {
            // The transformer is nearly all of a file: the layers take less than three of its
            // outputs.
            let most = length / (2 * (1 + features.count()));
            for l1 in (most.saturating_sub(3)..=most).filter(|&l1| l1 > 0) {
                shapes.extend(Self::with_any_layers(features, l1).filter(|shape| shape.content_length() == length));
            }
        }
        shapes.sort_by_key(Self::rank);
        shapes
    }

    /// The sort key: lower for likelier shapes.
    fn rank(&self) -> (bool, usize) {
        (!self.features.facts().planes.is_empty() || !self.is_common(), self.h1 % 8 + self.h2 % 8)
    }

    fn is_common(&self) -> bool {
        COMMON.contains(&(self.l1, self.h1, self.h2))
    }
}

/// The shapes that other programs use.
const COMMON: [(usize, usize, usize); 4] = [(256, 32, 32), (512, 16, 32), (1024, 8, 32), (1024, 8, 64)];

/// The greatest hidden layer to try when a file does not name its shape.
const MOST_HIDDEN: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    const STANDARD: Shape = Shape { features: FeatureSet::HalfKp, l1: 256, h1: 32, h2: 32 };

    #[test]
    fn hashes_and_text_of_the_standard_shape_are_those_in_use() {
        let Hashes { file, transformer, stack } = STANDARD.hashes();
        assert_eq!([file, transformer, stack], [0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156]);
        assert_eq!(Shape::from_text(&STANDARD.text()), Some(STANDARD));
        let sparse = STANDARD.text().replace("AffineTransform[32<-512]", "AffineTransformSparseInput[32<-512]");
        assert_eq!((sparse == STANDARD.text(), Shape::from_text(&sparse)), (false, Some(STANDARD)));
    }

    #[test]
    fn the_words_of_a_shape_are_read_again() {
        for shape in [STANDARD, Shape { features: FeatureSet::HalfKpVm, l1: 64, h1: 8, h2: 16 }] {
            assert_eq!(shape.to_string().parse(), Ok(shape));
            assert_eq!(shape.to_string().to_ascii_lowercase().replace(' ', "_").parse(), Ok(shape));
        }
        for text in ["", "HalfKP", "HalfKP 256-32-32", "Half 256x2-32-32", "HalfKP 0x2-32-32", "HalfKP 256x2-32-32-1"] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_shape_is_found_by_the_size_of_its_file() {
        for (l1, h1, h2) in COMMON.into_iter().chain([(32, 16, 16), (64, 8, 32), (128, 32, 32)]) {
            for features in [FeatureSet::HalfKp, FeatureSet::HalfKpVm] {
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
            // The length of its file exceeds any number.
            "Features=HalfKP(Friend)[1->9223372036854775807x2],Network=AffineTransform[1<-2](AffineTransform[2<-3](AffineTransform[3<-4](",
            "Features=HalfKP(Friend)[1->256x2],Network=AffineTransform[1<-2](AffineTransform[2<-3](AffineTransform[0<-4](",
        ] {
            assert_eq!(Shape::from_text(text), None, "{text}");
        }
    }
}
