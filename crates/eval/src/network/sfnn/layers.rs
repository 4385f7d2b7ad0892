//! One stack of layers: what it computes.

use super::shape::SfnnShape;
use crate::network::affine::{Affine, GROUP, LANES, ONE, OutputRow, SHIFT, VECTOR, add_products, dot, forward};
use crate::network::parts::LayerParameters;
use crate::network::transformer::{CacheLine, LINE, multiply_pairs};

/// Squares of the first layer's outputs are shifted right by this number of bits.
const SQUARE_SHIFT: u32 = 19;
/// The least number whose square is beyond the greatest output.
const MOST: i32 = 1 << 13;

/// The layers behind the transformer.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    first: Affine,
    /// Outputs of the first layer that the second one sees.
    seen: usize,
    has_shortcut: bool,
    second: Affine,
    last: OutputRow,
}

/// Room for the numbers between the layers.
#[derive(Clone, Debug)]
pub(in crate::network) struct Buffers {
    /// The first layer's inputs: the side to move's, then the opponent's.
    inputs: Vec<u8>,
    /// The groups of inputs that are not all 0.
    groups: Vec<u16>,
    /// The first layer's outputs.
    sums: Vec<[i32; LANES]>,
    /// The inputs of the other layers, padded with zeros.
    hidden: [Vec<u8>; 2],
}

impl Stack {
    pub(super) fn new(shape: &SfnnShape, [first, second, last]: &[LayerParameters; 3]) -> Self {
        let [(inputs, _), (seen_twice, _), _] = shape.layers();
        // Weights that no shard looks at may be anything.
        let seen = |(at, &weight)| if shape.sees(at / inputs, at % inputs) { weight } else { 0 };
        let weights: Vec<i8> = first.weights.iter().enumerate().map(seen).collect();
        Self {
            first: Affine::new(inputs, &first.biases, &weights),
            seen: shape.h1,
            has_shortcut: shape.has_shortcut(),
            second: Affine::new(seen_twice, &second.biases, &second.weights),
            last: OutputRow::new(last.biases[0], &last.weights),
        }
    }

    pub(super) fn buffers(&self) -> Buffers {
        let inputs = VECTOR * self.first.input_vectors();
        let hidden = [VECTOR * self.second.input_vectors(), (LANES * self.second.blocks()).next_multiple_of(VECTOR)];
        Buffers {
            inputs: vec![0; inputs],
            groups: vec![0; inputs / GROUP + LANES],
            sums: vec![[0; LANES]; self.first.blocks()],
            hidden: hidden.map(|length| vec![0; length]),
        }
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
        let Buffers { inputs, groups, sums: outputs, hidden: [hidden_one, hidden_two] } = buffers;
        let (own, others) = inputs.split_at_mut(LINE / 2 * sums[0].len());
        multiply_pairs(sums[0], own);
        multiply_pairs(sums[1], others);
        let groups = non_zero_groups(inputs, groups);
        first_layer(&self.first, inputs, groups, outputs);
        self.activate(outputs.as_flattened(), hidden_one);
        forward(&self.second, hidden_one, hidden_two);
        let shortcut = if self.has_shortcut { outputs.as_flattened()[self.seen] } else { 0 };
        dot(&self.last, hidden_two).wrapping_add(shortcut)
    }

    /// The inputs of the second layer: squares, and clipped numbers.
    #[inline(always)]
    fn activate(&self, sums: &[i32], outputs: &mut [u8]) {
        let (squares, clipped) = outputs.split_at_mut(self.seen);
        for ((sum, square), clipped) in sums.iter().zip(squares).zip(clipped) {
            let sum = (*sum).clamp(-MOST, MOST);
            *square = ((sum * sum) >> SQUARE_SHIFT).min(ONE) as u8;
            *clipped = (sum >> SHIFT).clamp(0, ONE) as u8;
        }
    }
}

/// The numbers of the groups of inputs that are not all 0; `places` has room for all and [`LANES`] more.
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

/// The numbers of the bits that are set in a byte.
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

/// The sums of the first layer, from the inputs that are not 0.
#[inline(always)]
fn first_layer(layer: &Affine, inputs: &[u8], groups: &[u16], sums: &mut [[i32; LANES]]) {
    match layer.blocks() {
        1 => first_layer_blocks::<1>(layer, inputs, groups, sums),
        2 => first_layer_blocks::<2>(layer, inputs, groups, sums),
        4 => first_layer_blocks::<4>(layer, inputs, groups, sums),
        8 => first_layer_blocks::<8>(layer, inputs, groups, sums),
        blocks => {
            sums.copy_from_slice(layer.biases());
            let (inputs, _) = inputs.as_chunks::<GROUP>();
            for &group in groups {
                let group = usize::from(group);
                let weights = &layer.weights()[group * blocks..][..blocks];
                for (sums, weights) in sums.iter_mut().zip(weights) {
                    *sums = add_products(*sums, inputs[group], weights);
                }
            }
        }
    }
}

#[inline(always)]
fn first_layer_blocks<const BLOCKS: usize>(layer: &Affine, inputs: &[u8], groups: &[u16], sums: &mut [[i32; LANES]]) {
    let mut all = [[0; LANES]; BLOCKS];
    all.copy_from_slice(layer.biases());
    let (weights, _) = layer.weights().as_chunks::<BLOCKS>();
    let (inputs, _) = inputs.as_chunks::<GROUP>();
    for &group in groups {
        let group = usize::from(group);
        let (input, weights) = (inputs[group], &weights[group]);
        for block in 0..BLOCKS {
            all[block] = add_products(all[block], input, &weights[block]);
        }
    }
    sums.copy_from_slice(&all);
}
