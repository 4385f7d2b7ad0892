//! The players that can be rated: those in one strong component with the anchor, or with players of
//! fixed ratings.

use std::fmt;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Dfs, Reversed, Walker};
use serde::Serialize;

use kiki_stats::error::check;
use kiki_stats::logistic::{ELO_SCALE, MOST_RATING};
use kiki_stats::{Result, StatsError};

use super::table::ResultTable;

/// The anchor, and further players whose differences to it are fixed. For the likelihood they are
/// one player, each with its offset from the anchor's strength.
#[derive(Clone, Debug)]
pub(super) struct Anchors {
    /// For each player of the table: the anchor if it is fixed, else the player itself.
    pub(super) nodes: Vec<usize>,
    /// For each player of the table: its strength less the anchor's if it is fixed, in log-odds.
    pub(super) offsets: Vec<f64>,
}

impl Anchors {
    /// The anchor with its rating, and further players with theirs. Refuses players that are
    /// unknown or named twice, and ratings beyond a million.
    pub(super) fn new(table: &ResultTable, anchor: usize, rating: f64, fixed: &[(usize, f64)]) -> Result<Self> {
        table.check(anchor)?;
        let mut anchors = Self { nodes: (0..table.players()).collect(), offsets: vec![0.0; table.players()] };
        for &(player, fixed) in fixed {
            table.check(player)?;
            possible_rating(fixed)?;
            let is_new = player != anchor && anchors.nodes[player] == player;
            check("an anchor", player as f64, |_| is_new, "a player that is no anchor already")?;
            anchors.nodes[player] = anchor;
            anchors.offsets[player] = (fixed - rating) / ELO_SCALE;
        }
        Ok(anchors)
    }
}

/// Refuses a rating beyond a million, which loses the digits of differences.
pub(super) fn possible_rating(rating: f64) -> Result<f64> {
    check("a rating", rating, |rating| rating.abs() <= MOST_RATING, "between -1,000,000 and 1,000,000")
}

/// Why a player has a rating or none, in the order of the printed table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerClass {
    /// Its group took points from the rated players, directly or through others, and gave none:
    /// infinitely better than they.
    AboveCore,
    /// In one strong component with the anchor: rated.
    Rated,
    /// Its group gave points to the rated players, and took none: infinitely worse than they.
    BelowCore,
    /// There are chains of games, but points flow neither way.
    Incomparable,
    /// No chain of games leads to the anchor.
    Disconnected,
    /// Played no game.
    NoGames,
}

/// In one word: `rated`, `above_core`.
impl fmt::Display for PlayerClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The players by class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classification {
    /// The player whose component is rated.
    pub anchor: usize,
    /// The class of every player.
    pub classes: Vec<PlayerClass>,
    /// The rated players in ascending order; at least the anchor.
    pub core: Vec<usize>,
    /// The other strong components of two or more players, the largest first: each can have a table
    /// of its own.
    pub other_components: Vec<Vec<usize>>,
}

/// Sorts the players into classes around an anchor, which is always rated. Points that a fixed
/// player takes or gives are those of all fixed players.
pub(super) fn classify(table: &ResultTable, anchor: usize, nodes: &[usize]) -> Classification {
    let results = || table.results().map(|(pairing, points)| (nodes[pairing.a], nodes[pairing.b], points));
    let graph = points_taken(table.players(), results());
    let start = NodeIndex::new(anchor);
    let below = reached(Dfs::new(&graph, start).iter(&graph), table.players());
    let above = reached(Dfs::new(Reversed(&graph), start).iter(Reversed(&graph)), table.players());
    let mut connected = UnionFind::new(table.players());
    results().for_each(|(a, b, _)| _ = connected.union(a, b));
    let mut played = vec![false; table.players()];
    for (pairing, _) in table.results() {
        played[pairing.a] = true;
        played[pairing.b] = true;
    }
    let class = |player: usize| match (above[nodes[player]], below[nodes[player]]) {
        (true, true) => PlayerClass::Rated,
        _ if !played[player] => PlayerClass::NoGames,
        _ if !connected.equiv(nodes[player], anchor) => PlayerClass::Disconnected,
        (true, false) => PlayerClass::AboveCore,
        (false, true) => PlayerClass::BelowCore,
        (false, false) => PlayerClass::Incomparable,
    };
    let classes: Vec<PlayerClass> = (0..table.players()).map(class).collect();
    let core: Vec<usize> = (0..table.players()).filter(|&player| classes[player] == PlayerClass::Rated).collect();
    let mut other_components = components(&graph);
    other_components.retain(|component| !component.contains(&anchor));
    Classification { anchor, classes, core, other_components }
}

/// The player with most games inside the largest component of players that can be rated together.
/// Of equal components the one with more games is taken, of equal players the lower number. Refuses
/// a table without such a component.
pub fn default_anchor(table: &ResultTable) -> Result<usize> {
    let results = table.results().map(|(pairing, points)| (pairing.a, pairing.b, points));
    let components = components(&points_taken(table.players(), results));
    let Some(largest) = components.first().map(Vec::len) else {
        let no_games = table.results().next().is_none();
        let reason = "no two players have taken points from each other, directly or through others";
        return Err(if no_games { StatsError::NoGames } else { StatsError::NotEstimable { what: "a rating", reason } });
    };
    let mut member = vec![usize::MAX; table.players()];
    for (number, component) in components.iter().enumerate() {
        component.iter().for_each(|&player| member[player] = number);
    }
    let mut games = vec![0.0; table.players()];
    for (pairing, points) in table.results() {
        if member[pairing.a] == member[pairing.b] && member[pairing.a] != usize::MAX {
            games[pairing.a] += points[0] + points[1];
            games[pairing.b] += points[0] + points[1];
        }
    }
    let all_games = |component: &[usize]| component.iter().map(|&player| games[player]).sum::<f64>();
    let equal = &components[..components.partition_point(|component| component.len() == largest)];
    // The last of equal ones is the greatest: lists in ascending order are searched from their end.
    let best = equal.iter().rev().max_by(|a, b| all_games(a).total_cmp(&all_games(b)));
    let most = best.into_iter().flatten().rev().max_by(|&&a, &&b| games[a].total_cmp(&games[b]));
    Ok(most.copied().unwrap_or_default())
}

/// Whether some players are one strong component.
pub(super) fn is_strong(players: usize, results: impl Iterator<Item = (usize, usize, [f64; 2])>) -> bool {
    kosaraju_scc(&points_taken(players, results)).len() == 1
}

/// An arrow from a player to everyone it took points from; a node may stand for several players.
fn points_taken(players: usize, results: impl Iterator<Item = (usize, usize, [f64; 2])>) -> DiGraph<(), (), usize> {
    let arrows = results.flat_map(|(a, b, points)| {
        let taken = [(a, b, points[0]), (b, a, points[1])].into_iter().filter(|(_, _, points)| *points > 0.0);
        taken.map(|(from, to, _)| (from, to))
    });
    // An arrow to itself makes every player a node.
    DiGraph::from_edges((0..players).map(|player| (player, player)).chain(arrows))
}

/// Strong components of two or more nodes, the largest first; ties by the lowest number. By
/// Kosaraju's algorithm: petgraph's version of Tarjan's recurses, and ten thousand players in a row
/// would overflow the stack of a thread.
fn components(graph: &DiGraph<(), (), usize>) -> Vec<Vec<usize>> {
    let numbered = |component: Vec<NodeIndex<usize>>| {
        let mut players: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        players.sort_unstable();
        players
    };
    let all = kosaraju_scc(graph).into_iter().filter(|component| component.len() > 1);
    let mut components: Vec<Vec<usize>> = all.map(numbered).collect();
    components.sort_by_key(|component| (std::cmp::Reverse(component.len()), component[0]));
    components
}

/// The players that a walk reaches.
fn reached(walk: impl Iterator<Item = NodeIndex<usize>>, players: usize) -> Vec<bool> {
    let mut reached = vec![false; players];
    walk.for_each(|node| reached[node.index()] = true);
    reached
}
