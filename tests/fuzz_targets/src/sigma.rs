//! Models of how far shallow searches may be off.

use kiki_board::Position;
use kiki_eval::sigma::{SigmaModel, progress_elements};
use kiki_tests::fixtures;

use crate::error_text::check_error;

/// A text is a model that is the same after it was written and read again and that has an answer for every position, or is refused in one line.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let model = match SigmaModel::from_text(text) {
        Ok(model) => model,
        Err(error) => return check_error(&error),
    };
    assert_eq!(SigmaModel::from_text(&model.to_text()).as_ref(), Ok(&model));
    for sfen in [Position::startpos().to_sfen().as_str(), fixtures::midgame()[0].sfen] {
        let position = fixtures::position(sfen);
        let elements = progress_elements(&position);
        for (number, pair) in model.pairs.iter().enumerate() {
            assert_eq!(model.pair(pair.shallow.into(), pair.deep.into()), Some(number));
            let _ = model.value_fit(number, &elements);
            let all = [
                model.sigma_of_progress(number, &elements),
                model.sigma_of_features(number, &position),
                model.sigma_of_values(number, &elements, -100, 200),
            ];
            assert!(all.iter().all(|&sigma| sigma > 0.0), "{all:?}");
        }
    }
}

/// The models in the program.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let model = |of_formula| kiki_network::embedded_sigma(of_formula).expect("the program's model");
    [false, true].map(|of_formula| model(of_formula).to_text().into_bytes()).to_vec()
}
