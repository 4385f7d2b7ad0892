//! Which features a batch has, and where.

/// The features of a batch. Each has a slot, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureSlots {
    /// By feature; meaningless for those that the batch lacks.
    slots: Vec<u32>,
    /// The feature of each slot.
    features: Vec<u32>,
    /// How often all features of earlier slots are set, by slot; then how often all are.
    starts: Vec<u32>,
}

impl FeatureSlots {
    /// Indexes the features of a batch, all below `count`.
    pub(super) fn fill(&mut self, count: usize, features: &[u32]) {
        self.slots.clear();
        self.slots.resize(count, 0);
        features.iter().for_each(|&feature| self.slots[feature as usize] += 1);
        self.features.clear();
        self.starts.clear();
        let mut sum = 0;
        for (feature, slot) in self.slots.iter_mut().enumerate() {
            if *slot > 0 {
                self.starts.push(sum);
                sum += *slot;
                *slot = self.features.len() as u32;
                self.features.push(feature as u32);
            }
        }
        self.starts.push(sum);
    }

    #[inline(always)]
    pub(super) fn slot(&self, feature: u32) -> usize {
        self.slots[feature as usize] as usize
    }

    pub(super) fn features(&self) -> &[u32] {
        &self.features
    }
}

/// The views that have each feature. A view is a side of a sample.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureViews {
    /// The end of the views of each slot.
    ends: Vec<u32>,
    views: Vec<u32>,
}

impl FeatureViews {
    /// Indexes the views of a batch, given the features of each.
    pub(super) fn fill<'a>(&mut self, slots: &FeatureSlots, views: impl Iterator<Item = &'a [u32]>) {
        self.ends.clear();
        self.ends.extend(&slots.starts);
        self.views.resize(self.ends.pop().unwrap_or(0) as usize, 0);
        for (view, features) in views.enumerate() {
            for &feature in features {
                let place = &mut self.ends[slots.slot(feature)];
                self.views[*place as usize] = view as u32;
                *place += 1;
            }
        }
    }

    /// The views with the feature of a slot, in their order; twice if it is set twice.
    pub(super) fn of_slot(&self, slot: usize) -> &[u32] {
        let start = slot.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.views[start as usize..self.ends[slot] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_every_view_of_every_feature() {
        const ACTIVE: usize = 38;
        let (mut slots, mut list) = (FeatureSlots::default(), FeatureViews::default());
        // The second batch has fewer features than the first one, none of them below 7.
        for (count, least) in [(60, 0), (50, 7)] {
            let feature = |place: usize| (least + (7 * (place / ACTIVE) + 3 * (place % ACTIVE)) % (50 - least)) as u32;
            let features: Vec<u32> = (0..3 * ACTIVE).map(feature).collect();
            slots.fill(count, &features);
            list.fill(&slots, features.chunks(ACTIVE));
            let mut distinct = features.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(slots.features(), distinct);
            for (slot, &feature) in distinct.iter().enumerate() {
                let places = features.iter().enumerate().filter(|&(_, &set)| set == feature);
                let expected: Vec<u32> = places.map(|(place, _)| (place / ACTIVE) as u32).collect();
                assert_eq!(list.of_slot(slot), expected);
                assert_eq!(slots.slot(feature), slot);
            }
        }
    }
}
