//! Commands for developers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kiki_board::Color;
use kiki_eval::{Evaluator, NetworkEvaluator, SelectedEvaluator, SelectedWeights};
use kiki_usi::{Command, InfoString, PositionSpec};

use super::session::UsiSession;
use super::workers::AtQuit;
use crate::bench::{self, BenchSettings};
use crate::{genfens, people, perft};

const HELP: &str = "\
Commands of the protocol (USI):
  usi                                      name the engine and list its options
  setoption name NAME value VALUE          set an option
  isready                                  prepare for a game; answers readyok
  position startpos [moves 7g7f 3c3d ..]   set up the start position, then play the moves
  position sfen SFEN [moves ..]            set up any position
  go byoyomi MS | movetime MS | btime MS wtime MS [binc MS winc MS]
  go depth N | nodes N | infinite          think; `searchmoves M ..` limits the first moves
  go ponder [TIMES], ponderhit [TIMES]     think on the opponent's time
  go mate MS | infinite                    look for a forced mate by checks
  stop                                     end a search, a count, a bench or genfens
  gameover win | lose | draw               end the game; a running search gives no answer
  quit                                     end the program, after a bench or genfens
For people and developers:
  d                                        show the position
  eval                                     show its value by the current evaluation
  eval formula                             explain its value by the formula, term by term
  moves                                    list the legal moves
  side                                     show the side to move
  matsuri                                  set up a position with many drops
  getoption NAME                           show the value of an option
  perft N [divide], go perft N             count the legal move sequences of N plies
  bench [hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]
  genfens N [seed S] [book FILE|None] [plies N] [limit CP]
                                           make N openings of random moves
  usi_tunables                             list the numbers that an optimizer may tune
  help                                     show this list";

impl UsiSession {
    pub(super) fn execute_developer_command(&mut self, command: Command) {
        let is_about_position = match &command {
            Command::Display | Command::Eval { .. } | Command::Moves | Command::Side | Command::Perft { .. } => true,
            Command::Bench(arguments) => bench::is_about_current(arguments),
            _ => false,
        };
        if is_about_position && !self.has_position() {
            return;
        }
        match command {
            Command::Display => self.lines(people::ascii(&self.current.position)),
            Command::Eval { formula } => self.evaluate(formula),
            Command::Moves => self.list_moves(),
            Command::Side => self.output.print(self.side_to_move()),
            Command::Perft { depth, divide } => self.perft(depth, divide),
            Command::Matsuri => self.set_position(PositionSpec::matsuri()),
            Command::GetOption(name) => match self.options.values.get(&name) {
                Ok(value) => self.output.print(format_args!("{name} = {value}")),
                Err(error) => self.warn(error),
            },
            Command::Bench(arguments) => self.bench(&arguments),
            Command::Genfens(arguments) => self.genfens(&arguments),
            Command::UsiTunables => self.list_tunables(),
            Command::Help => HELP.lines().for_each(|line| self.output.print(line)),
            // The session executes the others.
            _ => {}
        }
    }

    fn load_evaluation(&mut self) {
        self.resources.load_evaluation(&self.options.settings.evaluation, &self.output);
    }

    fn lines(&self, lines: Vec<String>) {
        lines.into_iter().for_each(|line| self.output.print(line));
    }

    /// Prints the value by the current evaluation, for a network with its unscaled output. Prints
    /// the terms of the formula if that is the evaluation or is requested.
    fn evaluate(&mut self, formula: bool) {
        self.load_evaluation();
        let side = self.side_to_move();
        let source = self.resources.evaluation.describe();
        let value = match &self.resources.evaluation.weights {
            SelectedWeights::Network(network) => {
                let position = &self.current.position;
                let mut evaluator = NetworkEvaluator::new(network, position);
                let stack = self.resources.evaluation.describe_stack(position);
                format!("{} output {}{stack}", evaluator.evaluate(position), evaluator.output(position))
            }
            SelectedWeights::Formula(_) => {
                let weights = self.resources.evaluation.weights.clone().into();
                SelectedEvaluator::new(&weights, &self.current.position).evaluate(&self.current.position).to_string()
            }
        };
        let text = format_args!("eval value {value} in centipawns for {side}, who is to move, by the {source}");
        self.output.print(InfoString(text));
        if formula || matches!(self.resources.evaluation.weights, SelectedWeights::Formula(_)) {
            self.lines(people::evaluation(&self.settings().evaluation.formula, &self.current.position));
        }
    }

    fn side_to_move(&self) -> &'static str {
        if self.current.position.side_to_move() == Color::Black { "black" } else { "white" }
    }

    fn list_moves(&self) {
        let mut moves: Vec<String> = self.current.position.legal_moves().iter().map(ToString::to_string).collect();
        moves.sort();
        self.output.print(moves.join(" "));
    }

    pub(super) fn perft(&mut self, depth: u32, divided: bool) {
        let task = match perft::PerftTask::new(depth, divided) {
            Ok(task) => task,
            Err(error) => return self.warn(error),
        };
        let mut position = self.current.position.clone();
        self.run_in_background(AtQuit::Ends, move |stop, print_line| task.run(&mut position, stop, print_line));
    }

    fn bench(&mut self, arguments: &[String]) {
        match bench::plan(arguments, Some(&self.current.position)) {
            Ok(plan) => self.run_for_framework(move |settings, stop, print_line| plan.run(settings, stop, print_line)),
            Err(error) => self.warn(error),
        }
    }

    fn genfens(&mut self, arguments: &[String]) {
        match genfens::plan(arguments) {
            Ok(plan) => self.run_for_framework(move |settings, stop, print_line| plan.run(settings, stop, print_line)),
            Err(error) => self.warn(error),
        }
    }

    /// Does work that `quit` waits for: testing frameworks send both at once.
    fn run_for_framework(
        &mut self,
        work: impl FnOnce(&BenchSettings, &AtomicBool, &mut dyn FnMut(String)) -> anyhow::Result<()> + Send + 'static,
    ) {
        self.load_evaluation();
        let settings = BenchSettings {
            weights: self.resources.evaluation.weights.clone(),
            probcut: self.settings().search.probcut,
            model: Arc::clone(&self.resources.sigma.model),
        };
        self.run_in_background(AtQuit::Finishes, move |stop, print_line| {
            if let Err(error) = work(&settings, stop, print_line) {
                print_line(InfoString(error).to_string());
            }
        });
    }

    /// Works on another thread, so that commands are still read. Ends earlier work first.
    fn run_in_background(
        &mut self,
        at_quit: AtQuit,
        work: impl FnOnce(&AtomicBool, &mut dyn FnMut(String)) + Send + 'static,
    ) {
        self.stop();
        if let Err(error) = self.background.start(&self.output, at_quit, work) {
            self.warn(format_args!("cannot start a thread: {error}"));
        }
    }

    /// Lists the tunable numbers; none without the feature `tune`.
    fn list_tunables(&self) {
        #[cfg(feature = "tune")]
        {
            let entries: Vec<String> = super::options::tunables()
                .map(|parameter| {
                    format!(
                        concat!(
                            r#"{{"id":"{0}","option":"{0}","value_type":"int","encoding":"integer","default":{1},"#,
                            r#""min":{2},"max":{3},"scale":1,"schedule":{{"c_end":{4},"r_end":0.002}}}}"#
                        ),
                        parameter.name, parameter.default, parameter.min, parameter.max, parameter.step
                    )
                })
                .collect();
            self.output.print(format_args!(
                r#"info string shogiarena_tunables_json {{"schema_version":"shogiarena.usi_tunables.v1","tunables":[{}]}}"#,
                entries.join(",")
            ));
        }
        self.output.print("usi_tunablesok");
    }
}
