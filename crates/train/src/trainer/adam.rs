//! How numbers follow their gradients: Adam (Kingma and Ba, 2015).

/// How much of the mean gradient remains from step to step.
const BETA_1: f32 = 0.9;
/// How much of the mean squared gradient remains from step to step.
const BETA_2: f32 = 0.999;
/// What [`Adam`] adds to the root of the mean squared gradient unless it is told otherwise.
pub(super) const EPSILON: f64 = 1e-8;

/// Numbers with the running means of their gradients and squared gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Moments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
}

impl Moments {
    pub(super) fn new(count: usize) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count] }
    }

    /// As if there had been no gradient yet.
    pub(super) fn forget(&mut self) {
        self.first.fill(0.0);
        self.second.fill(0.0);
    }
}

/// One step of Adam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    /// The learning rate, corrected for means that began with 0.
    rate: f32,
    /// The same correction for the root of the mean squared gradient.
    root_correction: f32,
    /// Added to that root: far smaller gradients move numbers in proportion to their size, greater ones by about the rate.
    epsilon: f32,
}

impl Adam {
    /// The step with this number, from 0.
    pub(super) fn new(rate: f64, epsilon: f64, step: u64) -> Self {
        let power = |beta: f32| 1.0 - f64::from(beta).powf((step + 1) as f64);
        let root_correction = 1.0 / power(BETA_2).sqrt();
        Self { rate: (rate / power(BETA_1)) as f32, root_correction: root_correction as f32, epsilon: epsilon as f32 }
    }

    /// Changes numbers by their gradients. `gap` is how many steps ago the last change was: in between the gradients were 0. The numbers
    /// themselves would have gone on moving a little in those steps; that is left out.
    pub(super) fn update(self, numbers: &mut [f32], first: &mut [f32], second: &mut [f32], gradient: &[f32], gap: u64) {
        let unseen = i32::try_from(gap.saturating_sub(1)).unwrap_or(i32::MAX);
        let (kept_1, kept_2) = (BETA_1 * BETA_1.powi(unseen), BETA_2 * BETA_2.powi(unseen));
        let moments = first.iter_mut().zip(second);
        for ((number, (first, second)), &gradient) in numbers.iter_mut().zip(moments).zip(gradient) {
            *first = kept_1 * *first + (1.0 - BETA_1) * gradient;
            *second = kept_2 * *second + (1.0 - BETA_2) * gradient * gradient;
            *number -= self.rate * *first / (second.sqrt() * self.root_correction + self.epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let (mut numbers, mut moments) = ([1.0, 1.0], Moments::new(2));
        Adam::new(0.25, EPSILON, 0).update(&mut numbers, &mut moments.first, &mut moments.second, &[3.0, -0.001], 1);
        assert!((numbers[0] - 0.75).abs() < 1e-4 && (numbers[1] - 1.25).abs() < 1e-4, "{numbers:?}");
    }

    #[test]
    fn steps_without_a_gradient_may_be_made_up_for() {
        let (mut dense, mut lazy) = (Moments::new(1), Moments::new(1));
        let mut ignored = [0.0];
        for (step, gradient) in [2.0, 0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
            let adam = Adam::new(0.1, EPSILON, step as u64);
            adam.update(&mut ignored, &mut dense.first, &mut dense.second, &[gradient], 1);
            if gradient != 0.0 {
                adam.update(
                    &mut ignored,
                    &mut lazy.first,
                    &mut lazy.second,
                    &[gradient],
                    if step == 4 { 4 } else { 1 },
                );
            }
        }
        assert!((dense.first[0] - lazy.first[0]).abs() < 1e-6 && (dense.second[0] - lazy.second[0]).abs() < 1e-9);
    }
}
