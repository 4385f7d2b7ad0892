//! The architecture of a network, and its names.

use std::fmt;
use std::str::FromStr;

use super::classic::Shape;
use super::features::FeatureSet;
use super::parts::{ArchitectureError, FileBytes, Hashes, LayerParameters};
use super::sfnn::SfnnShape;

/// The architecture of a network: its form, features and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Architecture {
    /// The form of 2018: three layers with clipped ReLU.
    Classic(Shape),
    /// The form with stacks of layers behind products of pairs.
    Sfnn(SfnnShape),
}

impl Architecture {
    /// The features of each side, and the outputs of the transformer for each.
    #[must_use]
    pub fn transformer(&self) -> (FeatureSet, usize) {
        match self {
            Self::Classic(shape) => (shape.features, shape.l1),
            Self::Sfnn(shape) => (shape.features, shape.l1),
        }
    }

    /// Inputs and outputs of the layers of a stack.
    #[must_use]
    pub fn layers(&self) -> [(usize, usize); 3] {
        match self {
            Self::Classic(shape) => shape.layers(),
            Self::Sfnn(shape) => shape.layers(),
        }
    }

    /// Number of stacks.
    #[must_use]
    pub fn stacks(&self) -> usize {
        match self {
            Self::Classic(_) => 1,
            Self::Sfnn(shape) => shape.choice.stacks(),
        }
    }

    /// Whether the progress of the game chooses a stack.
    pub(super) fn has_progress(&self) -> bool {
        matches!(self, Self::Sfnn(shape) if shape.choice.has_progress())
    }

    /// The text that describes the network in its file.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Classic(shape) => shape.text(),
            Self::Sfnn(shape) => shape.text(),
        }
    }

    pub(super) fn hashes(&self) -> Hashes {
        match self {
            Self::Classic(shape) => shape.hashes(),
            Self::Sfnn(shape) => shape.hashes(),
        }
    }

    /// Reads the layers of a stack. The caller checks that there are enough bytes.
    pub(super) fn read_stack(&self, bytes: &mut FileBytes<'_>) -> [LayerParameters; 3] {
        self.layers().map(|(inputs, outputs)| bytes.layer(inputs, outputs))
    }

    /// Appends the layers of a stack to a file.
    pub(super) fn write_stack(&self, stack: &[LayerParameters; 3], file: &mut Vec<u8>) {
        for (layer, (inputs, outputs)) in stack.iter().zip(self.layers()) {
            assert_eq!(layer.biases.len(), outputs);
            layer.write(inputs, file);
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classic(shape) => shape.fmt(formatter),
            Self::Sfnn(shape) => shape.fmt(formatter),
        }
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    /// Reads names like `HalfKP_vm 256x2-32-32` and `SFNN_halfkahm2_1536_15_32_k3k3`.
    fn from_str(name: &str) -> Result<Self, ArchitectureError> {
        let sfnn = name.parse().map(Self::Sfnn);
        let says_sfnn = name.trim().to_ascii_lowercase().starts_with("sfnn");
        if says_sfnn || sfnn.is_ok() { sfnn } else { name.parse().map(Self::Classic) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_named() {
        for name in ["HalfKP_vm 256x2-32-32", "K+P 256x2-32-32", "SFNN_halfkahm2_1536_15_32_k3k3"] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
        for (name, reason) in [
            ("auto 256x2-32", "expected one like `HalfKP_vm 256x2-32-32` or `SFNN_halfkahm2_1536_15_32_k3k3`"),
            ("HalfKP", "expected one like `HalfKP_vm 256x2-32-32` or `SFNN_halfkahm2_1536_15_32_k3k3`"),
            (" sfnn", "\"sfnn\" names no features"),
            ("SFNN_halfkahm2_1536_15_32 k3k3", "\"32 k3k3\" is no size of H2"),
        ] {
            assert_eq!(name.parse::<Architecture>().unwrap_err().reason, reason);
        }
    }
}
