//! The layers behind the transformer: 8-bit weights, sums of 32 bits.

use super::affine::{
    Affine, GROUP, LANES, MOST_SQUARED, ONE, OutputRow, SHIFT, SQUARE_SHIFT, VECTOR, dot, forward, sum,
};
use super::architecture::Architecture;
use super::parts::LayerParameters;
use super::transformer::{CacheLine, LINE, clip, multiply_pairs};
#[cfg(target_arch = "x86_64")]
use super::{classic, sfnn};

/// Group indices that are written at once: a list of them needs that much room behind its end.
const GROUP_PLACES: usize = 32;

/// How sums become inputs: those of the transformer for the first layer, and those of the first
/// layer for the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activation {
    /// Clipped values of both.
    Clipped,
    /// Products of pairs of sums; squares and clipped values of all lanes of the first layer.
    /// `shortcut` is the output of the first layer that is added to the network's output.
    Products { shortcut: Option<usize> },
}

#[derive(Clone, Debug)]
pub(super) struct LayerStack {
    activation: Activation,
    first: Affine,
    second: Affine,
    last: OutputRow,
    /// Whether the processor has VNNI and `vnni` handles these layers.
    #[cfg(target_arch = "x86_64")]
    pub(super) has_vnni: bool,
}

/// Room for the numbers between the layers. Hardly needed with VNNI.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    /// The first layer's inputs: the side to move's, then the opponent's.
    inputs: Vec<u8>,
    /// The groups of inputs that are not all 0.
    groups: Vec<u16>,
    /// The sums of a hidden layer.
    sums: Vec<[i32; LANES]>,
    /// The inputs of the other layers, padded with zeros.
    hidden: [Vec<u8>; 2],
}

impl LayerStack {
    /// The layers of an architecture, as a file holds them.
    pub(super) fn new(architecture: &Architecture, [one, two, last]: &[LayerParameters; 3]) -> Self {
        let (activation, first, second) = match architecture {
            Architecture::Classic(shape) => {
                // Each side's inputs are padded to whole lines.
                let side = shape.l1.next_multiple_of(LINE);
                let first = Affine::new(2 * side, &one.biases, &padded(&one.weights, shape.l1, side));
                (Activation::Clipped, first, Affine::new(shape.h1, &two.biases, &two.weights))
            }
            Architecture::Sfnn(shape) => {
                // Weights outside the shards may be anything.
                let seen = |(at, &weight)| if shape.sees(at / shape.l1, at % shape.l1) { weight } else { 0 };
                let weights: Vec<i8> = one.weights.iter().enumerate().map(seen).collect();
                let first = Affine::new(shape.l1, &one.biases, &weights);
                let lanes = LANES * first.blocks();
                let second = Affine::new(2 * lanes, &two.biases, &padded(&two.weights, shape.h1, lanes));
                (Activation::Products { shortcut: shape.has_shortcut().then_some(shape.h1) }, first, second)
            }
        };
        Self {
            #[cfg(target_arch = "x86_64")]
            has_vnni: match activation {
                Activation::Clipped => classic::vnni::is_usable(&first, &second),
                Activation::Products { .. } => sfnn::vnni::is_usable(&first, &second),
            },
            activation,
            first,
            second,
            last: OutputRow::new(last.biases[0], &last.weights),
        }
    }

    /// Room for the numbers of these layers.
    pub(super) fn buffers(&self) -> Buffers {
        let inputs = VECTOR * self.first.input_vectors;
        let hidden = [VECTOR * self.second.input_vectors, (LANES * self.second.blocks()).next_multiple_of(VECTOR)];
        Buffers {
            inputs: vec![0; inputs],
            groups: vec![0; inputs / GROUP + GROUP_PLACES],
            sums: vec![[0; LANES]; self.first.blocks().max(self.second.blocks())],
            hidden: hidden.map(|length| vec![0; length]),
        }
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
        let Self { first, second, last, .. } = self;
        let Buffers { inputs, groups, sums: hidden_sums, hidden: [hidden_one, hidden_two] } = buffers;
        #[cfg(target_arch = "x86_64")]
        if self.has_vnni {
            let layers = (first, second, last);
            // SAFETY: the processor has the features that the functions are compiled for:
            // `has_vnni` has checked them.
            #[expect(unsafe_code, reason = "a function compiled for features of the processor has no safe call")]
            return unsafe {
                match self.activation {
                    Activation::Clipped => classic::vnni::output(sums, layers),
                    Activation::Products { shortcut } => sfnn::vnni::output(sums, layers, shortcut, inputs, groups),
                }
            };
        }
        let side = inputs.len() / 2;
        let (own, others) = inputs.split_at_mut(side);
        let shortcut = match self.activation {
            Activation::Clipped => {
                clip(sums[0], own);
                clip(sums[1], others);
                forward(first, inputs, hidden_sums, hidden_one);
                0
            }
            Activation::Products { shortcut } => {
                multiply_pairs(sums[0], own);
                multiply_pairs(sums[1], others);
                let groups = non_zero_groups(inputs, groups);
                let first_sums = &mut hidden_sums[..first.blocks()];
                sum(first, inputs, groups.iter().map(|&group| usize::from(group)), first_sums);
                activate(first_sums.as_flattened(), hidden_one);
                shortcut.map_or(0, |output| first_sums.as_flattened()[output])
            }
        };
        forward(second, hidden_one, hidden_sums, hidden_two);
        dot(last, hidden_two).wrapping_add(shortcut)
    }
}

/// Rows of `from` numbers, each padded with zeros to `to`.
fn padded(rows: &[i8], from: usize, to: usize) -> Vec<i8> {
    let mut all = Vec::with_capacity(rows.len() / from * to);
    for row in rows.chunks_exact(from) {
        all.extend(row);
        all.resize(all.len() + to - from, 0);
    }
    all
}

/// The inputs of the second layer: squares, and clipped values.
#[inline(always)]
fn activate(sums: &[i32], outputs: &mut [u8]) {
    let (squares, clipped) = outputs.split_at_mut(sums.len());
    for ((sum, square), clipped) in sums.iter().zip(squares).zip(clipped) {
        let sum = (*sum).clamp(-MOST_SQUARED, MOST_SQUARED);
        *square = ((sum * sum) >> SQUARE_SHIFT).min(ONE) as u8;
        *clipped = (sum >> SHIFT).clamp(0, ONE) as u8;
    }
}

/// Indices of the groups of inputs that are not all 0. `places` has room for all of them and
/// [`GROUP_PLACES`] more.
#[inline(always)]
fn non_zero_groups<'a>(inputs: &[u8], places: &'a mut [u16]) -> &'a [u16] {
    let mut count = 0;
    let (vectors, _) = inputs.as_chunks::<VECTOR>();
    for (start, vector) in (0..).step_by(LANES).zip(vectors) {
        let groups: [u32; LANES] = bytemuck::must_cast(*vector);
        let groups = groups.map(|group| group != 0);
        let set = groups.iter().enumerate().fold(0, |set, (lane, &group)| set | u8::from(group) << lane);
        let target: &mut [u16; LANES] = (&mut places[count..count + LANES]).try_into().expect("as many");
        *target = SET_LANES[usize::from(set)].map(|lane| start + u16::from(lane));
        count += set.count_ones() as usize;
    }
    &places[..count]
}

/// The indices of the bits that are set in a byte.
static SET_LANES: [[u8; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                table[set][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};
