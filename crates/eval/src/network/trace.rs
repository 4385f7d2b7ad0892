//! All numbers that a network computes in a position, one by one, by the definition of its form.
//! For inspection, and for tests of the fast code.

use kiki_board::{Color, Position, opponent};

use super::affine::{ONE, SHIFT, SQUARE_SHIFT};
use super::architecture::Architecture;
use super::features::all_active;
use super::numbers::NetworkFile;
use super::parts::LayerParameters;

/// The greatest doubled sum of an SFNN transformer that is not clipped.
const GREATEST_PAIR: i16 = 254;

/// All numbers of a network in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Activations {
    /// The stack of layers that evaluates the position, counted from 0.
    pub stack: usize,
    /// The transformer's sums, the side to move's first; for SFNN doubled.
    pub sums: [Vec<i16>; 2],
    /// Greater sums are clipped to this one.
    pub greatest_sum: i16,
    /// The inputs of the first, second and third layer, from 0 to 127.
    pub inputs: [Vec<u8>; 3],
    /// The output.
    pub output: i32,
}

impl NetworkFile {
    /// Calls `visit` for each table of the network, with its name, the bits of a number, and the
    /// numbers without padding.
    pub fn visit_tables(&self, mut visit: impl FnMut(&'static str, u32, &mut dyn Iterator<Item = i32>)) {
        const LAYERS: [[&str; 2]; 3] = [
            ["biases of layer 1", "weights of layer 1"],
            ["biases of layer 2", "weights of layer 2"],
            ["biases of layer 3", "weights of layer 3"],
        ];
        let Self { progress, stacks, .. } = self;
        let mut rows = self.transformer_rows();
        let biases = rows.next().unwrap_or_default();
        visit("biases of the transformer", i16::BITS, &mut biases.iter().map(|&number| number.into()));
        visit("weights of the transformer", i16::BITS, &mut rows.flatten().map(|&number| number.into()));
        if let Some(progress) = progress {
            visit("weights of the progress", i32::BITS, &mut progress.weights.iter().copied());
        }
        for (layer, [biases, weights]) in LAYERS.into_iter().enumerate() {
            visit(biases, i32::BITS, &mut stacks.iter().flat_map(|stack| stack[layer].biases.iter().copied()));
            visit(
                weights,
                i8::BITS,
                &mut stacks.iter().flat_map(|stack| stack[layer].weights.iter().map(|&weight| weight.into())),
            );
        }
    }

    /// All numbers in a position.
    #[must_use]
    pub fn activations(&self, position: &Position) -> Activations {
        let Self { architecture, progress, stacks, .. } = self;
        let side = position.side_to_move();
        let sums = [side, opponent(side)].map(|side| self.sums(position, side));
        match architecture {
            Architecture::Classic(_) => {
                let [first, second, last] = &stacks[0];
                let one: Vec<u8> = sums.iter().flatten().map(|&sum| i32::from(sum).clamp(0, ONE) as u8).collect();
                let two = clipped(&outputs(first, &one, |_, _| true));
                let three = clipped(&outputs(second, &two, |_, _| true));
                let output = outputs(last, &three, |_, _| true)[0];
                Activations { stack: 0, sums, greatest_sum: ONE as i16, inputs: [one, two, three], output }
            }
            Architecture::Sfnn(shape) => {
                let stack = shape.choice.bucket(position, progress.as_ref());
                let [first, second, last] = &stacks[stack];
                let sums = sums.map(|sums| sums.into_iter().map(|sum| sum.wrapping_mul(2)).collect::<Vec<i16>>());
                let one: Vec<u8> = sums.iter().flat_map(|sums| products(sums)).collect();
                let all = outputs(first, &one, |output, input| shape.sees(output, input));
                let (seen, shortcut) = all.split_at(shape.h1);
                let square = |&sum: &i32| ((i64::from(sum) * i64::from(sum)) >> SQUARE_SHIFT).min(ONE.into()) as u8;
                let two: Vec<u8> = seen.iter().map(square).chain(clipped(seen)).collect();
                let three = clipped(&outputs(second, &two, |_, _| true));
                let shortcut = shortcut.first().copied().unwrap_or(0);
                let output = outputs(last, &three, |_, _| true)[0].wrapping_add(shortcut);
                Activations { stack, sums, greatest_sum: GREATEST_PAIR, inputs: [one, two, three], output }
            }
        }
    }

    /// The sums of the weights of all features of a side.
    fn sums(&self, position: &Position, side: Color) -> Vec<i16> {
        let Self { architecture, transformer, .. } = self;
        let (features, l1) = architecture.transformer();
        let width = transformer.rows().width();
        // The biases are the first row.
        let row = |number: usize| &transformer.numbers()[number * width..][..l1];
        let mut sums = row(0).to_vec();
        for feature in all_active(position, features, side) {
            let weights = row(1 + feature as usize);
            sums.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum = sum.wrapping_add(weight));
        }
        sums
    }
}

/// The outputs of a layer. `sees` says which outputs use which inputs.
fn outputs(layer: &LayerParameters, inputs: &[u8], sees: impl Fn(usize, usize) -> bool) -> Vec<i32> {
    let rows = layer.weights.chunks_exact(inputs.len()).zip(&layer.biases).enumerate();
    rows.map(|(output, (row, &bias))| {
        let seen = row.iter().zip(inputs).enumerate().filter(|&(input, _)| sees(output, input));
        seen.fold(bias, |sum, (_, (&weight, &input))| sum.wrapping_add(i32::from(weight) * i32::from(input)))
    })
    .collect()
}

fn clipped(sums: &[i32]) -> Vec<u8> {
    sums.iter().map(|sum| (sum >> SHIFT).clamp(0, ONE) as u8).collect()
}

/// The products of the first half of the sums with the second half.
fn products(sums: &[i16]) -> Vec<u8> {
    let (one, other) = sums.split_at(sums.len() / 2);
    let clip = |&sum: &i16| u32::from(sum.clamp(0, GREATEST_PAIR).unsigned_abs());
    one.iter().zip(other).map(|(one, other)| ((clip(one) * clip(other)) >> 9) as u8).collect()
}
