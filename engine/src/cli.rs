//! The command line.

use std::ffi::OsString;
use std::io::{self, BufRead as _, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use kiki_search::ProbCutOptions;
use kiki_usi::{Command, CommandError};

use crate::bench::BenchSettings;
use crate::evaluation::EvaluationChoice;
use crate::output::print_line;
use crate::version::VERSION;
use crate::{analyze, bench, mate, perft, serve, usi};

#[derive(Parser)]
#[command(
    name = "kiki",
    version = VERSION.as_str(),
    about = "A USI shogi engine. Without a command it speaks USI.",
    after_help = "Any other arguments are USI commands, separated by commas or one in each argument:\n  kiki usi , isready , go nodes 1000 , quit\n  kiki \"genfens 8 seed 1\" quit"
)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Open a board in the browser, to play, analyze and solve mating problems.
    Serve(serve::ServeArgs),
    /// Search fixed positions. The number of nodes is the signature of the search.
    Bench {
        /// `[hash MiB] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`;
        /// threads may be a list such as `1,2,4`, or `all`
        arguments: Vec<String>,
    },
    /// Count the leaves of the legal move tree.
    Perft(perft::PerftArgs),
    /// Analyze a position and show the best lines.
    Analyze(analyze::AnalyzeArgs),
    /// Solve a mating problem: can the side to move mate by checks alone?
    Mate(mate::MateArgs),
}

const GREETING: &str = "\
Kiki, a USI shogi engine for GUIs such as ShogiHome, ShogiGUI and Shogidokoro.
Press Enter to open a board in the browser (`kiki serve`), or type USI commands:
  position startpos moves 7g7f      set up a position          d      show it
  go byoyomi 3000                   think for three seconds    eval   show its value
  quit                              end the program            help   list the commands
For other commands, run `kiki --help`.";

pub(crate) fn run(arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let first = arguments.first().map(|first| first.to_string_lossy().into_owned());
    match first.as_deref() {
        None => {
            if io::stdin().is_terminal() && io::stdout().is_terminal() {
                print_line(GREETING);
                if is_enter_pressed() {
                    return execute(parse(vec!["serve".into()]));
                }
            }
            usi::serve_stdin();
        }
        Some("serve" | "bench" | "perft" | "analyze" | "mate" | "help" | "-h" | "--help" | "-V" | "--version")
            if !arguments.iter().any(|argument| argument == ",") =>
        {
            return execute(parse(arguments));
        }
        Some(_) => {
            let words = arguments.iter().map(|argument| kiki_usi::decode(argument.as_encoded_bytes()));
            let lines = kiki_usi::command_lines(words);
            // The USI loop skips an unknown command, but a mistyped command line must fail.
            let first = lines.first().map(|line| Command::parse(line.as_bytes()));
            if let Some(Err(CommandError::Unknown(_))) = first {
                return execute(parse(arguments));
            }
            usi::serve_lines(lines);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for the first line, and leaves it to be read unless it is empty.
fn is_enter_pressed() -> bool {
    let mut input = io::stdin().lock();
    let length = match input.fill_buf() {
        Ok(b"\n") => 1,
        Ok(b"\r\n") => 2,
        _ => return false,
    };
    input.consume(length);
    true
}

/// Parses the arguments of a command for people. Ends the program if they are wrong.
fn parse(arguments: Vec<OsString>) -> Subcommands {
    Arguments::parse_from(std::iter::once(OsString::from("kiki")).chain(arguments)).command
}

fn execute(command: Subcommands) -> anyhow::Result<ExitCode> {
    match command {
        Subcommands::Serve(arguments) => serve::run(&arguments)?,
        Subcommands::Bench { arguments } => {
            let plan = bench::plan(&arguments, None)?;
            let settings = BenchSettings {
                weights: EvaluationChoice::Network.weights()?,
                probcut: ProbCutOptions::default(),
                model: Arc::new(kiki_network::embedded_sigma(false)?),
            };
            plan.run(&settings, &AtomicBool::new(false), &mut |line| print_line(line))?;
        }
        Subcommands::Perft(arguments) => perft::run(&arguments)?,
        Subcommands::Analyze(arguments) => analyze::run(&arguments)?,
        Subcommands::Mate(arguments) => return mate::run(&arguments),
    }
    Ok(ExitCode::SUCCESS)
}
