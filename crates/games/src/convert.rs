//! `kiki-lab convert`: game records from one form into another.

mod target;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kiki_record::{Game, RecordForm, TextEncoding, lost_parts, text_of_lost};
use kiki_run::ensure_usage;

use crate::records::{RecordSource, find};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::{exit_code, stop_flag};
use kiki_run::output::{ProgressLine, counted, print_warning, warning};
use kiki_run::say;
use target::OutputFiles;

const EXAMPLE: &str = "\
Examples:
  kiki-lab convert game.csa --to kif --output game.kif
  kiki-lab convert game.csa --to ki2
  kiki-lab convert records/ --to csa --output converted/
  kiki-lab convert results/match --to kif --split --output kif/
  kiki-lab convert old.kif --to ki2 --encoding shift-jis --output old.ki2

The content and the name of an input show its form. Unreadable parts are reported with file and line; everything else is converted, and
the exit status is 1. One line for each file says what the new form cannot hold. Inputs are never overwritten.";

/// Convert game records: CSA, KIF, KI2, USI and JKF, and the journals of matches
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct ConvertArgs {
    /// Game records, folders of them (with those below), and folders of matches
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The new form; csa is version 2.2, which every program reads, csa3 version 3.0
    #[arg(long, value_name = "FORM", value_parser = form())]
    to: RecordForm,
    /// The output file: a folder if several files are read, with --split, or if that folder exists;
    /// without it one file goes to standard output
    #[arg(long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// How texts are encoded
    #[arg(long, default_value = "utf-8", value_parser = one_of(ENCODINGS))]
    encoding: TextEncoding,
    /// How KI2 writes ranks: ▲７六歩, as all programs read it, or ▲７６歩
    #[arg(long, value_name = "RANKS", value_parser = one_of(RANKS))]
    ki2_ranks: Option<RecordForm>,
    /// Write a file for each game: NAME-0001, NAME-0002 ..
    #[arg(long)]
    split: bool,
    /// Overwrite files in the folder of a match too
    #[arg(long)]
    overwrite: bool,
}

const ENCODINGS: &[(&str, TextEncoding)] = &[("utf-8", TextEncoding::Utf8), ("shift-jis", TextEncoding::ShiftJis)];
/// How KI2 writes ranks.
const RANKS: &[(&str, RecordForm)] = &[("kanji", RecordForm::Ki2), ("digits", RecordForm::Ki2Digits)];

/// Reads the name of a form. KI2's digits have an option of their own.
fn form() -> impl TypedValueParser<Value = RecordForm> {
    PossibleValuesParser::new(["kif", "ki2", "csa", "csa3", "usi", "jkf"]).try_map(|name| name.parse::<RecordForm>())
}

/// Reads one of these values by its name; help and errors list all names.
fn one_of<T: Copy + Send + Sync + 'static>(values: &'static [(&str, T)]) -> impl TypedValueParser<Value = T> {
    let value = |name: String| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    PossibleValuesParser::new(values.iter().map(|(name, _)| *name))
        .try_map(move |name| value(name).context("no value has this name"))
}

pub fn run(arguments: &ConvertArgs) -> Result<ExitCode> {
    let encoding = arguments.encoding;
    ensure_usage!(
        arguments.ki2_ranks.is_none() || arguments.to == RecordForm::Ki2,
        "--ki2-ranks: only --to ki2 has it"
    );
    let form = arguments.ki2_ranks.unwrap_or(arguments.to);
    ensure_usage!(form != RecordForm::Jkf || encoding == TextEncoding::Utf8, "--encoding: JKF is always UTF-8");
    let mut errors = InputErrors::default();
    let sources = find(&arguments.inputs, &mut errors);
    let output = arguments.output.as_deref();
    let names_folder = |output: &Path| output.is_dir() || output.to_string_lossy().ends_with(std::path::is_separator);
    let is_folder = sources.len() > 1
        || arguments.inputs.len() > 1
        || arguments.split
        || output.is_some_and(names_folder)
        || arguments.inputs.iter().any(|input| input.is_dir() && !is_match(input, &sources));
    ensure_usage!(!is_folder || output.is_some(), "--output: name a folder; only one file goes to standard output");
    let mut conversion = Conversion {
        form,
        encoding,
        split: arguments.split,
        target: OutputFiles::new(output, is_folder, &sources, arguments.overwrite),
        stop: stop_flag()?,
        games: 0,
        errors,
    };
    let mut progress = ProgressLine::new("files", sources.len() as u64, 0);
    for (done, source) in sources.iter().enumerate() {
        if let Err(error) = conversion.convert(source, &progress) {
            conversion.tell(source, error, &progress);
        }
        if conversion.is_stopped() {
            progress.finish();
            return Ok(exit_code(true));
        }
        progress.show(done as u64 + 1, || format!("{} games", conversion.games));
    }
    progress.finish();
    if let Some(output) = output {
        match conversion.games {
            0 => say!("nothing was written: no game could be converted"),
            games => {
                let [games, files] =
                    [(games, "game"), (sources.len() as u64, "file")].map(|(count, noun)| counted(count, noun));
                say!("{games} of {files} as {} in {}", form.name(), output.display());
            }
        }
    }
    if conversion.errors.count() > 0 {
        print_warning(&format!("{}: what they name is not converted", counted(conversion.errors.count(), "error")));
    }
    Ok(conversion.errors.exit_code())
}

/// Whether an input is the folder of one match, which is one source.
fn is_match(input: &Path, sources: &[RecordSource]) -> bool {
    sources.iter().any(|source| source.path == input)
}

struct Conversion<'a> {
    form: RecordForm,
    encoding: TextEncoding,
    split: bool,
    target: OutputFiles<'a>,
    stop: Arc<AtomicBool>,
    games: u64,
    errors: InputErrors,
}

impl Conversion<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn tell(&mut self, source: &RecordSource, error: anyhow::Error, progress: &ProgressLine) {
        self.errors.tell_beside(progress, &error.context(source.path.display().to_string()));
    }

    /// Converts the readable games of a source; reports the others.
    fn convert(&mut self, source: &RecordSource, progress: &ProgressLine) -> Result<()> {
        let found = source.games()?;
        ensure!(!found.is_empty(), "there is no game in it");
        let mut games = Vec::with_capacity(found.len());
        for game in found {
            match game {
                Ok(game) => games.push(game),
                Err(error) => self.tell(source, error, progress),
            }
        }
        if games.is_empty() {
            return Ok(());
        }
        let mut lost = BTreeSet::new();
        for game in &games {
            // A match may have thousands of games; an incomplete conversion is not written.
            if self.is_stopped() {
                return Ok(());
            }
            lost.extend(lost_parts(self.form, game, self.encoding)?);
        }
        if !lost.is_empty() {
            let lost = text_of_lost(&lost);
            let text = format!("{}: {} does not hold: {lost}", source.path.display(), self.form.name());
            progress.print(warning(&text));
        }
        let place = source.place_with_extension(self.form.extension());
        if !self.split {
            return self.write(&place, &games, source);
        }
        let stem = place.file_stem().unwrap_or_default().to_string_lossy();
        for (index, game) in games.iter().enumerate() {
            let name = format!("{stem}-{:04}.{}", index + 1, self.form.extension());
            self.write(&place.with_file_name(name), std::slice::from_ref(game), source)?;
        }
        Ok(())
    }

    fn write(&mut self, place: &Path, games: &[Game], source: &RecordSource) -> Result<()> {
        let bytes = self.form.write(games, self.encoding)?;
        self.target.write(place, &bytes, source)?;
        self.games += games.len() as u64;
        Ok(())
    }
}
