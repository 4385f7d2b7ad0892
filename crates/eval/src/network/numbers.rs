//! The numbers of a network of either form, and the file made of them.

use std::fmt::Debug;

use super::architecture::Architecture;
use super::leb128;
use super::parts::{FileBytes, LayerParameters, MAGIC};
use super::sfnn::GameProgress;
use super::transformer::Transformer;

/// The numbers of a network, of either form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFile {
    /// The form and the sizes.
    pub architecture: Architecture,
    pub(super) transformer: Transformer,
    pub(super) progress: Option<GameProgress>,
    /// The three layers of each stack; the classic form has one.
    pub stacks: Vec<[LayerParameters; 3]>,
}

impl NetworkFile {
    /// The numbers of a network; panics if the lists are not as long as the architecture says.
    #[must_use]
    pub fn new(
        architecture: Architecture,
        biases: &[i16],
        weights: &[i16],
        progress: Option<GameProgress>,
        stacks: Vec<[LayerParameters; 3]>,
    ) -> Self {
        let (features, l1) = architecture.transformer();
        assert_eq!((biases.len(), weights.len()), (l1, l1 * features.count()));
        assert_eq!((stacks.len(), progress.is_some()), (architecture.stacks(), architecture.has_progress()));
        Self { architecture, transformer: Transformer::new(l1, biases, weights), progress, stacks }
    }

    /// The mean of networks, number by number, halves rounded to even. `None` without a network,
    /// for networks of several architectures, and for stacks chosen by progress.
    #[must_use]
    pub fn mean(networks: &[Self]) -> Option<Self> {
        let architecture = networks.first()?.architecture;
        if architecture.has_progress() || networks.iter().any(|network| network.architecture != architecture) {
            return None;
        }
        let rows = mean(networks.iter().map(|network| network.transformer_rows().flatten().copied()));
        let (biases, weights) = rows.split_at(architecture.transformer().1);
        let layer = |stack: usize, layer: usize| {
            let layers = networks.iter().map(|network| &network.stacks[stack][layer]);
            LayerParameters {
                biases: mean(layers.clone().map(|layer| layer.biases.iter().copied())),
                weights: mean(layers.map(|layer| layer.weights.iter().copied())),
            }
        };
        let stacks = (0..architecture.stacks()).map(|stack| [0, 1, 2].map(|index| layer(stack, index))).collect();
        Some(Self::new(architecture, biases, weights, None, stacks))
    }

    /// The transformer's biases, then its weights by feature.
    pub fn transformer_rows(&self) -> impl Iterator<Item = &[i16]> {
        let (_, l1) = self.architecture.transformer();
        self.transformer.numbers().chunks_exact(self.transformer.rows().width()).map(move |row| &row[..l1])
    }

    /// Reads what follows the transformer in a file. Calls `check` with a name, the hash found and
    /// the usual one: for the progress, and for the stacks under `stack_name`.
    pub(super) fn read_rest(
        architecture: Architecture,
        transformer: Transformer,
        bytes: &mut FileBytes<'_>,
        stack_name: &str,
        mut check: impl FnMut(&str, u32, u32),
    ) -> Self {
        let progress = architecture.has_progress().then(|| {
            check("progress", bytes.word(), GameProgress::HASH);
            GameProgress::read(bytes)
        });
        let (usual, mut odd) = (architecture.hashes().stack, None);
        let mut stack = |_| {
            let hash = bytes.word();
            odd = odd.or((hash != usual).then_some(hash));
            architecture.read_stack(bytes)
        };
        let stacks = (0..architecture.stacks()).map(&mut stack).collect();
        check(stack_name, odd.unwrap_or(usual), usual);
        Self { architecture, transformer, progress, stacks }
    }

    /// The file, with the transformer's numbers in the usual form: words in a classic network,
    /// LEB128 in an SFNN network.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(matches!(self.architecture, Architecture::Sfnn(_)))
    }

    /// The file with the transformer's numbers in LEB128. That halves a classic network, but other
    /// programs cannot read it.
    #[must_use]
    pub fn to_leb128(&self) -> Vec<u8> {
        self.write(true)
    }

    fn write(&self, is_packed: bool) -> Vec<u8> {
        let (text, hashes) = (self.architecture.text(), self.architecture.hashes());
        let mut file = Vec::new();
        for word in [MAGIC, hashes.file, text.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(text.as_bytes());
        file.extend(hashes.transformer.to_le_bytes());
        let mut rows = self.transformer_rows();
        if is_packed {
            leb128::put(rows.by_ref().take(1).flatten(), &mut file);
            leb128::put(rows.flatten(), &mut file);
        } else {
            file.extend(rows.flatten().flat_map(|number| number.to_le_bytes()));
        }
        if let Some(progress) = &self.progress {
            file.extend(GameProgress::HASH.to_le_bytes());
            progress.write(&mut file);
        }
        for stack in &self.stacks {
            file.extend(hashes.stack.to_le_bytes());
            self.architecture.write_stack(stack, &mut file);
        }
        file
    }
}

/// The means of lists of equal length; a mean lies within the numbers, so that it fits their type.
fn mean<N: Into<i64> + TryFrom<i64, Error: Debug>>(
    lists: impl ExactSizeIterator<Item = impl Iterator<Item = N>>,
) -> Vec<N> {
    let count = lists.len() as f64;
    let mut sums: Vec<i64> = Vec::new();
    for list in lists {
        if sums.is_empty() {
            sums = list.map(Into::into).collect();
        } else {
            sums.iter_mut().zip(list).for_each(|(sum, number)| *sum += number.into());
        }
    }
    let rounded = sums.into_iter().map(|sum| (sum as f64 / count).round_ties_even() as i64);
    rounded.map(|mean| N::try_from(mean).expect("a mean of such numbers")).collect()
}
