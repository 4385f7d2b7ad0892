//! The optimiser: Adam (Kingma and Ba, 2015) with decoupled weight decay (AdamW; Loshchilov and
//! Hutter, 2019).

/// Share of the mean gradient that remains from step to step.
const BETA_1: f32 = 0.9;
/// Share of the mean squared gradient that remains from step to step.
const BETA_2: f32 = 0.999;
/// Usual epsilon of [`Adam`].
pub(super) const EPSILON: f64 = 1e-8;

/// The running means of the gradients and squared gradients of numbers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AdamMoments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
}

impl AdamMoments {
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    pub(super) fn forget(&mut self) {
        self.first.fill(0.0);
        self.second.fill(0.0);
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    /// The learning rate, with the bias correction of the first moment.
    rate: f32,
    /// The bias correction of the root of the second moment.
    root_correction: f32,
    /// Added to that root. Far smaller gradients move numbers in proportion to their size, greater
    /// ones by about the rate.
    epsilon: f32,
    /// The share of a weight that decay leaves in a step.
    kept: f32,
}

impl Adam {
    /// `step` counts from 0. A weight loses the share `rate * decay`.
    pub(super) fn new(rate: f64, epsilon: f64, decay: f64, step: u64) -> Self {
        let power = |beta: f32| 1.0 - f64::from(beta).powf((step + 1) as f64);
        let root_correction = 1.0 / power(BETA_2).sqrt();
        Self {
            rate: (rate / power(BETA_1)) as f32,
            root_correction: root_correction as f32,
            epsilon: epsilon as f32,
            kept: (1.0 - rate * decay) as f32,
        }
    }

    /// Decays weights once for each of the `gap` steps since the last change. Biases do not decay.
    pub(super) fn decay(self, weights: &mut [f32], gap: u64) {
        if self.kept < 1.0 {
            let kept = self.kept.powi(i32::try_from(gap).unwrap_or(i32::MAX));
            weights.iter_mut().for_each(|weight| *weight *= kept);
        }
    }

    /// Changes numbers by their gradients, and clamps them to `-most..=most`. The last change was
    /// `gap` steps ago, with gradients of 0 since. The moments decay for these steps; the numbers
    /// do not move for them.
    pub(super) fn update(
        self,
        numbers: &mut [f32],
        [first, second]: [&mut [f32]; 2],
        gradient: &[f32],
        gap: u64,
        most: f32,
    ) {
        let unseen = i32::try_from(gap.saturating_sub(1)).unwrap_or(i32::MAX);
        let (kept_1, kept_2) = (BETA_1 * BETA_1.powi(unseen), BETA_2 * BETA_2.powi(unseen));
        let moments = first.iter_mut().zip(second);
        for ((number, (first, second)), &gradient) in numbers.iter_mut().zip(moments).zip(gradient) {
            *first = kept_1 * *first + (1.0 - BETA_1) * gradient;
            *second = kept_2 * *second + (1.0 - BETA_2) * gradient * gradient;
            let moved = *number - self.rate * *first / (second.sqrt() * self.root_correction + self.epsilon);
            *number = moved.max(-most).min(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(
        adam: Adam,
        numbers: &mut [f32],
        AdamMoments { first, second }: &mut AdamMoments,
        gradient: &[f32],
        gap: u64,
    ) {
        adam.update(numbers, [first, second], gradient, gap, 2.0);
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let (mut numbers, mut moments) = ([1.0, 1.0, 1.9, -1.9], AdamMoments::new(4));
        update(Adam::new(0.25, EPSILON, 0.0, 0), &mut numbers, &mut moments, &[3.0, -0.001, -5.0, 5.0], 1);
        assert!((numbers[0] - 0.75).abs() < 1e-4 && (numbers[1] - 1.25).abs() < 1e-4, "{numbers:?}");
        assert_eq!(numbers[2..], [2.0, -2.0], "no further than the bounds");
    }

    #[test]
    fn weights_decay_by_the_rate_in_every_step() {
        let (mut often, mut once) = ([2.0, -1.0], [2.0, -1.0]);
        let adam = Adam::new(0.5, EPSILON, 0.1, 7);
        (0..3).for_each(|_| adam.decay(&mut often, 1));
        adam.decay(&mut once, 3);
        for (often, (once, start)) in often.into_iter().zip(once.into_iter().zip([2.0_f32, -1.0])) {
            assert!((often - start * 0.95_f32.powi(3)).abs() < 1e-6 && (often - once).abs() < 1e-6);
        }
        Adam::new(0.5, EPSILON, 0.0, 7).decay(&mut once, 1_000);
        assert!((often[0] - once[0]).abs() < 1e-6, "no decay, no change");
    }

    #[test]
    fn steps_without_a_gradient_may_be_made_up_for() {
        let (mut dense, mut lazy) = (AdamMoments::new(1), AdamMoments::new(1));
        let mut ignored = [0.0];
        for (step, gradient) in [2.0, 0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
            let adam = Adam::new(0.1, EPSILON, 0.0, step as u64);
            update(adam, &mut ignored, &mut dense, &[gradient], 1);
            if gradient != 0.0 {
                update(adam, &mut ignored, &mut lazy, &[gradient], if step == 4 { 4 } else { 1 });
            }
        }
        assert!((dense.first[0] - lazy.first[0]).abs() < 1e-6 && (dense.second[0] - lazy.second[0]).abs() < 1e-9);
    }
}
