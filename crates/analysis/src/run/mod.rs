//! Games searched by engines: the folder of an analysis, with its journal and the files made from
//! it.

mod games;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use kiki_record::{RecordForm, TextEncoding};
use kiki_run::files::write_atomically;
use serde::{Deserialize, Serialize};

use crate::annotate::annotated;
use crate::game::AnalyzedGame;
use crate::index::AnalysisIndex;
use crate::page;
use crate::reasons::MoveKey;
use crate::report::{GameReport, PositionReport};
use crate::search::SearchKey;
use crate::searched::SearchedGames;

pub(crate) use games::{games_of, line_of};

/// Names that games may not take: they would overwrite files of the folder.
const RESERVED: [&str; 2] = ["analysis", INDEX];
/// Name of the files that list all games.
const INDEX: &str = "index";

/// Settings beside those of the searches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AnalysisSettings {
    /// Form of the annotated records, a [`RecordForm::name`]; `None` without records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
}

pub(crate) struct Written {
    /// The report of each game, and the paths of its page and record.
    pub(crate) games: Vec<(GameReport, Vec<PathBuf>)>,
    /// The page of all games, if there are several.
    pub(crate) index: Option<PathBuf>,
}

/// Games with the answers of engines so far.
pub(crate) type Analysis = SearchedGames<AnalysisSettings>;

/// Writes the results of every game, complete or not, and an index of several.
pub(crate) fn write(analysis: &Analysis) -> Result<Written> {
    let AnalysisSettings { to } = &analysis.settings().own;
    let write_game = |(place, game): (usize, &AnalyzedGame)| {
        let report = analysis.report(place)?;
        let mut paths = vec![write_pair(analysis.folder(), &game.head.name, &report, &page::html(&report)?)?];
        if let Some(form) = to.as_deref().and_then(|name| name.parse::<RecordForm>().ok()) {
            let record = form.write(&[annotated(game, &report)?], TextEncoding::Utf8)?;
            let path = analysis.folder().join(format!("{}.{}", game.head.name, form.extension()));
            write_atomically(&path, &record)?;
            paths.push(path);
        }
        Ok((report, paths))
    };
    let games: Vec<_> = analysis.games().iter().enumerate().map(write_game).collect::<Result<_>>()?;
    let index = if games.len() > 1 { AnalysisIndex::of(games.iter().map(|(report, _)| report)) } else { None };
    let index = index.map(|index| write_pair(analysis.folder(), INDEX, &index, &index.html()?)).transpose()?;
    Ok(Written { games, index })
}

/// The moves that an engine marks.
pub(crate) fn to_explain(analysis: &Analysis) -> Result<Vec<MoveKey>> {
    let mut keys = Vec::new();
    let is_marked = |place: &PositionReport| {
        let mut judged = place.searches.iter().flatten().filter_map(|search| search.played.as_ref());
        judged.any(|judged| judged.mark.is_some())
    };
    for game in 0..analysis.games().len() {
        let marked = analysis.report(game)?.positions.into_iter().filter(is_marked);
        keys.extend(marked.map(|place| MoveKey { game, ply: place.ply }));
    }
    Ok(keys)
}

/// Writes `NAME.json` and `NAME.html`; returns the path of the page.
fn write_pair(folder: &Path, name: &str, value: &impl Serialize, page: &str) -> Result<PathBuf> {
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    write_atomically(&path("json"), (serde_json::to_string(value)? + "\n").as_bytes())?;
    write_atomically(&path("html"), page.as_bytes())?;
    Ok(path("html"))
}

/// All searches of all games, in ascending order.
pub(crate) fn keys_of(games: &[AnalyzedGame], engines: usize) -> Result<Vec<SearchKey>> {
    let mut keys = Vec::new();
    for (game, facts) in games.iter().enumerate() {
        let plies = facts.searchable_plies().with_context(|| facts.head.name.clone())?;
        keys.extend(plies.iter().flat_map(|&ply| (0..engines).map(move |engine| SearchKey { game, ply, engine })));
    }
    Ok(keys)
}
