//! One stack of layers.

use super::shape::SfnnShape;
use crate::network::affine::{
    Affine, GROUP, LANES, MOST_SQUARED, ONE, OutputRow, SHIFT, SQUARE_SHIFT, VECTOR, add_products, dot, forward,
};
use crate::network::parts::LayerParameters;
use crate::network::transformer::{CacheLine, LINE, multiply_pairs};

/// Group indices that are written at once: a list of them needs that much room behind its end.
pub(super) const GROUP_PLACES: usize = 32;

/// The layers behind the transformer.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    first: Affine,
    /// The output of the first layer that is added to the network's output.
    shortcut: Option<usize>,
    /// Its inputs are the squares and the clipped values of all lanes of the first layer.
    second: Affine,
    last: OutputRow,
    /// Whether the processor has VNNI and `vnni` handles these layers.
    #[cfg(target_arch = "x86_64")]
    pub(super) has_vnni: bool,
}

/// Room for the numbers between the layers. Hardly needed with VNNI.
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
        let SfnnShape { l1, h1, .. } = *shape;
        // Weights outside the shards may be anything.
        let seen = |(at, &weight)| if shape.sees(at / l1, at % l1) { weight } else { 0 };
        let weights: Vec<i8> = first.weights.iter().enumerate().map(seen).collect();
        let first = Affine::new(l1, &first.biases, &weights);
        let lanes = LANES * first.blocks();
        let mut padded = Vec::with_capacity(2 * lanes * shape.h2);
        for half in second.weights.chunks_exact(h1) {
            padded.extend(half);
            padded.resize(padded.len() + lanes - h1, 0);
        }
        let second = Affine::new(2 * lanes, &second.biases, &padded);
        Self {
            #[cfg(target_arch = "x86_64")]
            has_vnni: super::vnni::is_usable(&first, &second),
            first,
            shortcut: shape.has_shortcut().then_some(h1),
            second,
            last: OutputRow::new(last.biases[0], &last.weights),
        }
    }

    pub(super) fn buffers(&self) -> Buffers {
        let inputs = VECTOR * self.first.input_vectors();
        let hidden = [VECTOR * self.second.input_vectors(), (LANES * self.second.blocks()).next_multiple_of(VECTOR)];
        Buffers {
            inputs: vec![0; inputs],
            groups: vec![0; inputs / GROUP + GROUP_PLACES],
            sums: vec![[0; LANES]; self.first.blocks()],
            hidden: hidden.map(|length| vec![0; length]),
        }
    }

    /// The network's output from the sums of both sides, the side to move's first.
    #[inline(always)]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], buffers: &mut Buffers) -> i32 {
        let Buffers { inputs, groups, sums: outputs, hidden: [hidden_one, hidden_two] } = buffers;
        #[cfg(target_arch = "x86_64")]
        if self.has_vnni {
            let layers = (&self.first, &self.second, &self.last);
            // SAFETY: the processor has the features that the function is compiled for: `has_vnni` has checked them.
            #[expect(unsafe_code, reason = "a function compiled for features of the processor has no safe call")]
            return unsafe { super::vnni::output(sums, layers, self.shortcut, inputs, groups) };
        }
        let (own, others) = inputs.split_at_mut(LINE / 2 * sums[0].len());
        multiply_pairs(sums[0], own);
        multiply_pairs(sums[1], others);
        let groups = non_zero_groups(inputs, groups);
        first_layer(&self.first, inputs, groups, outputs);
        activate(outputs.as_flattened(), hidden_one);
        forward(&self.second, hidden_one, hidden_two);
        let shortcut = self.shortcut.map_or(0, |output| outputs.as_flattened()[output]);
        dot(&self.last, hidden_two).wrapping_add(shortcut)
    }
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
