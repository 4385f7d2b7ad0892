//! The names of SFNN networks, and the sizes of their layers.

use std::fmt;
use std::str::FromStr;

use kiki_board::{ByColor, Color, HandCounts, Placement, Position, Sq};

use super::choice::{GameProgress, HandChoice, KingChoice};
use crate::network::features::FeatureSet;
use crate::network::parts::{ArchitectureError, layer_size, layers_length};

/// The architecture of a network of this form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SfnnShape {
    /// The features of each side.
    pub features: FeatureSet,
    /// Outputs of the transformer for each side, a multiple of 64. Their products are the inputs of
    /// the first layer.
    pub l1: usize,
    /// Outputs of the first layer that the second one sees. One less than a multiple of 8 with a
    /// shortcut, a multiple of 8 without.
    pub h1: usize,
    /// Outputs of the second layer.
    pub h2: usize,
    /// Which inputs the outputs of the first layer see; `None`: all of them.
    pub shards: Option<Shards>,
    /// How a position chooses a stack.
    pub choice: StackChoice,
}

/// A first layer in groups of outputs. All groups see the common inputs; each also sees those of
/// its shard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shards {
    /// Inputs that all groups see.
    pub common: usize,
    /// Inputs that one group sees.
    pub shard: usize,
    /// Groups.
    pub count: usize,
}

impl Shards {
    /// Reads words like `c128` and `s64x2`.
    fn from_words(common: &str, shards: &str) -> Option<Self> {
        let (shard, count) = shards.strip_prefix('s')?.split_once('x')?;
        let common = common.strip_prefix('c')?.parse().ok()?;
        Some(Self { common, shard: shard.parse().ok()?, count: count.parse().ok()? })
    }
}

/// How a position chooses a stack. The numbers of buckets multiply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StackChoice {
    /// By the pieces in hand.
    pub hands: Option<HandChoice>,
    /// By the kings' squares.
    pub kings: Option<KingChoice>,
    /// By the progress of the game: number of buckets, 1 for none.
    pub progress: usize,
}

impl StackChoice {
    /// One stack for all positions.
    pub(super) const SINGLE: Self = Self { hands: None, kings: None, progress: 1 };
    /// The numbers of buckets by progress.
    pub(super) const PROGRESS: [usize; 6] = [2, 3, 4, 8, 16, 32];

    /// Whether the choice depends on the progress of the game.
    #[must_use]
    pub fn has_progress(self) -> bool {
        self.progress > 1
    }

    /// Number of stacks.
    #[must_use]
    pub fn stacks(self) -> usize {
        self.hands.map_or(1, HandChoice::count) * self.kings.map_or(1, KingChoice::count) * self.progress
    }

    #[inline(always)]
    pub(in crate::network) fn bucket(self, position: &Position, progress: Option<&GameProgress>) -> usize {
        let kings = ByColor::from_fn(|color| position.king(color));
        let hands = ByColor::from_fn(|color| position.hand(color));
        let bucket = self.of_pieces(position.side_to_move(), kings, hands);
        bucket * self.progress + progress.map_or(0, |progress| progress.bucket(position, self.progress))
    }

    /// The stack of a position. `None` if the choice needs the network's weights: the progress of
    /// the game.
    #[must_use]
    pub fn of_placement(self, placement: &Placement) -> Option<usize> {
        let Placement { side_to_move, kings, hands, .. } = *placement;
        (!self.has_progress()).then(|| self.of_pieces(side_to_move, kings, hands))
    }

    /// The bucket by hands and kings.
    #[inline(always)]
    fn of_pieces(self, side: Color, kings: ByColor<Sq>, hands: ByColor<HandCounts>) -> usize {
        let of_hands = self.hands.map_or(0, |choice| choice.bucket(side, hands));
        let of_kings = self.kings.map_or(0, |choice| choice.bucket(side, kings));
        of_hands * self.kings.map_or(1, KingChoice::count) + of_kings
    }
}

impl fmt::Display for SfnnShape {
    /// The name, as other programs write it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { features, l1, h1, h2, shards, choice: StackChoice { hands, kings, progress } } = self;
        write!(formatter, "SFNN_{}_{l1}_{h1}_{h2}", features.word())?;
        if let Some(Shards { common, shard, count }) = shards {
            write!(formatter, "_c{common}_s{shard}x{count}")?;
        }
        let words = [hands.map(HandChoice::word), kings.map(KingChoice::word)];
        words.into_iter().flatten().try_for_each(|word| write!(formatter, "_{word}"))?;
        if *progress > 1 { write!(formatter, "_progress{progress}") } else { Ok(()) }
    }
}

impl FromStr for SfnnShape {
    type Err = ArchitectureError;

    /// Reads a name in either case, with `-` for `_`, with or without `SFNN_` before it.
    fn from_str(name: &str) -> Result<Self, ArchitectureError> {
        let error = |reason: String| ArchitectureError { name: name.to_owned(), reason };
        let lower = name.trim().to_ascii_lowercase().replace('-', "_");
        let words = lower.strip_prefix("sfnn_").unwrap_or(&lower);
        let words = if matches!(words, "sfnn1536" | "1536") { "halfkahm2_1536_15_32_k3k3" } else { words };
        // The long names of kings have a separator in them.
        let long_names =
            KingChoice::ALL.into_iter().flat_map(|kings| kings.long_words().iter().map(move |long| (*long, kings)));
        let words = long_names.fold(words.to_owned(), |words, (long, kings)| words.replace(long, kings.word()));
        let mut words = words.split('_');
        let features = words.next().unwrap_or_default();
        let features = FeatureSet::ALL
            .into_iter()
            .find(|set| set.word() == features)
            .ok_or_else(|| error(format!("{features:?} names no features")))?;
        let mut size = |layer: &str| {
            let word = words.next().unwrap_or_default();
            layer_size(word).ok_or_else(|| error(format!("{word:?} is no size of {layer}")))
        };
        let (l1, h1, h2) = (size("L1")?, size("H1")?, size("H2")?);
        let mut shape = Self { features, l1, h1, h2, shards: None, choice: StackChoice::SINGLE };
        let mut words: Vec<&str> = words.collect();
        if let [first, second, ..] = words[..]
            && let Some(shards) = Shards::from_words(first, second)
        {
            shape.shards = Some(shards);
            words.drain(..2);
        }
        for word in words {
            let hands = HandChoice::ALL.into_iter().find(|hands| hands.word() == word);
            let kings = KingChoice::ALL.into_iter().find(|kings| kings.word() == word);
            let progress = word.strip_prefix("progress").and_then(|buckets| buckets.parse().ok());
            let progress = progress.filter(|buckets| StackChoice::PROGRESS.contains(buckets));
            let choice = &mut shape.choice;
            let is_second = match (hands, kings, progress) {
                (Some(hands), ..) => choice.hands.replace(hands).is_some(),
                (_, Some(kings), _) => choice.kings.replace(kings).is_some(),
                (.., Some(buckets)) => std::mem::replace(&mut choice.progress, buckets) > 1,
                _ => return Err(error(format!("{word:?} names no choice of a stack"))),
            };
            if is_second {
                return Err(error(format!("{word:?} is a second choice of its kind")));
            }
        }
        shape.fault().map_or(Ok(shape), |reason| Err(error(reason)))
    }
}

impl SfnnShape {
    /// Why there is no such network.
    fn fault(&self) -> Option<String> {
        let Self { l1, h1, .. } = *self;
        if !l1.is_multiple_of(64) {
            return Some(format!("L1 is {l1}, no multiple of 64"));
        }
        if !matches!(h1 % 8, 0 | 7) {
            return Some(format!("H1 is {h1}, neither a multiple of 8 nor one less"));
        }
        let Shards { common, shard, count } = self.shards?;
        let inputs = shard.checked_mul(count).and_then(|inputs| inputs.checked_add(common));
        let are_whole = common.is_multiple_of(64) && shard > 0 && shard.is_multiple_of(64);
        let fits = inputs == Some(l1) && are_whole && count > 1 && self.first_outputs().is_multiple_of(count);
        (!fits).then(|| format!("its shards fit neither {l1} inputs nor {} outputs", self.first_outputs()))
    }

    /// Whether the last output of the first layer is added to the network's output.
    #[must_use]
    pub fn has_shortcut(&self) -> bool {
        self.h1 % 8 == 7
    }

    /// Outputs of the first layer.
    pub(super) fn first_outputs(&self) -> usize {
        self.h1 + usize::from(self.has_shortcut())
    }

    /// Inputs and outputs of the layers of a stack.
    pub(in crate::network) fn layers(&self) -> [(usize, usize); 3] {
        [(self.l1, self.first_outputs()), (2 * self.h1, self.h2), (self.h2, 1)]
    }

    /// Bytes of a stack in a file.
    pub(super) fn stack_length(&self) -> usize {
        4 + layers_length(self.layers())
    }

    /// Whether an output of the first layer sees an input.
    pub(in crate::network) fn sees(&self, output: usize, input: usize) -> bool {
        self.shards.is_none_or(|Shards { common, shard, count }| {
            input < common || (input - common) / shard == output / (self.first_outputs() / count)
        })
    }

    /// The text that describes the network in its file.
    pub(in crate::network) fn text(&self) -> String {
        let Self { features, l1, .. } = self;
        let name = self.to_string().to_ascii_uppercase();
        let name = if name == "SFNN_HALFKAHM2_1536_15_32_K3K3" { "SFNN-1536" } else { &name };
        format!(
            "ModelType=SFNNWithoutPsqt;Features={}[{}->{l1}x2],Network={name}{{LayerStack={}}}",
            features.description(),
            features.count(),
            self.choice.stacks()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "SFNN_halfkahm2_1536_15_32_k3k3",
            "SFNN_halfka2_1024_7_64_k3k3",
            "SFNN_ka2_256_15_32_c128_s64x2_k3k3",
            "SFNN_kp_64_16_8_hand1024",
            "SFNN_halfkp_128_7_32",
            "SFNN_halfkpvm_128_8_32_hand64z_k29k29_progress32",
        ] {
            let shape: SfnnShape = name.parse().unwrap();
            assert_eq!(shape.to_string(), name);
            assert_eq!(shape.to_string().to_ascii_uppercase().replace('_', "-").parse(), Ok(shape));
            assert_eq!(name.trim_start_matches("SFNN_").parse(), Ok(shape));
        }
        for (name, same) in [
            ("SFNN-1536", "SFNN_halfkahm2_1536_15_32_k3k3"),
            ("sfnn1536", "SFNN_halfkahm2_1536_15_32_k3k3"),
            ("halfkp_128_7_32_king9zone_by_king9zone", "SFNN_halfkp_128_7_32_k9k9z"),
            ("halfkp_128_7_32_king29_by_king29_hand4", "SFNN_halfkp_128_7_32_hand4_k29k29"),
            ("halfkp_128_7_32_progress2_king3_by_king3_hand16", "SFNN_halfkp_128_7_32_hand16_k3k3_progress2"),
        ] {
            assert_eq!(name.parse::<SfnnShape>().unwrap().to_string(), same);
        }
    }

    #[test]
    fn words_that_name_no_network_are_refused_with_a_reason() {
        for (name, reason) in [
            ("", "\"\" names no features"),
            ("SFNN_halfkpe9_128_7_32", "\"halfkpe9\" names no features"),
            ("SFNN_halfkp_128_7", "\"\" is no size of H2"),
            ("SFNN_halfkp_x_7_32", "\"x\" is no size of L1"),
            ("SFNN_halfkp_100_7_32", "L1 is 100, no multiple of 64"),
            ("SFNN_halfkp_128_9_32", "H1 is 9, neither a multiple of 8 nor one less"),
            ("SFNN_halfkp_128_7_32_k4k4", "\"k4k4\" names no choice of a stack"),
            ("SFNN_halfkp_128_7_32_progress5", "\"progress5\" names no choice of a stack"),
            ("SFNN_halfkp_128_7_32_k3k3_k9k9", "\"k9k9\" is a second choice of its kind"),
            ("SFNN_halfkp_128_7_32_progress2_progress2", "\"progress2\" is a second choice of its kind"),
            ("SFNN_halfkp_256_7_32_c64_s64x2", "its shards fit neither 256 inputs nor 8 outputs"),
            ("SFNN_halfkp_256_7_32_c64_s64x3", "its shards fit neither 256 inputs nor 8 outputs"),
            ("SFNN_halfkp_256_7_32_c256_s0x2", "its shards fit neither 256 inputs nor 8 outputs"),
        ] {
            assert_eq!(name.parse::<SfnnShape>().unwrap_err().reason, reason, "{name}");
        }
    }
}
