//! Self-play as tasks for many machines.

use anyhow::Result;
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::job::{Job, JobNeeds};
use kiki_run::evaluation::{EvaluationNote, SharedEvaluation};
use serde::{Deserialize, Serialize};

use crate::games::encode;
use crate::selfplay::{SelfPlayLimit, SelfPlaySettings, SelfPlayer};

/// Nodes a move of all games of a task together, which take about a sixth of a second.
const NODES_A_TASK: u64 = 1600;
/// Maximum number of games in a task.
const MOST_GAMES: u64 = 8;

/// All that games of self-play depend on, apart from their numbers.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayJob {
    evaluation: SharedEvaluation,
    settings: SelfPlaySettings,
}

impl SelfPlayJob {
    pub(super) fn new(evaluation: EvaluationNote, settings: SelfPlaySettings) -> Self {
        Self { evaluation: SharedEvaluation::new(evaluation), settings }
    }

    /// Number of games in a task.
    pub(super) fn games_a_task(&self) -> u64 {
        match self.settings.limit {
            SelfPlayLimit::Nodes(nodes) => (NODES_A_TASK / nodes.max(1)).clamp(1, MOST_GAMES),
            SelfPlayLimit::Depth(_) => 1,
        }
    }
}

impl Job for SelfPlayJob {
    const KIND: &'static str = "self-play";
    type Task = ();
    /// Games in bits, as the file has them.
    type Outcome = Vec<Vec<u8>>;
    type State<'a> = SelfPlayer;

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Evaluations(vec![&mut self.evaluation])
    }

    fn begin(&self, _: &WorkerContext<'_>) -> Result<SelfPlayer> {
        self.settings.check()?;
        SelfPlayer::new(self.evaluation.weights()?, self.settings.clone())
    }

    fn work(&self, player: &mut SelfPlayer, number: u64, (): (), stop: &StopSignal) -> Result<Option<Vec<Vec<u8>>>> {
        let games = self.games_a_task() * number..self.games_a_task() * (number + 1);
        let games: Option<Vec<_>> = games.map(|game| player.play(game, stop.flag())).collect();
        games.map(|games| games.iter().map(|game| encode(Some(game))).collect()).transpose()
    }
}
