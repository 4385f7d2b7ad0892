//! `kiki serve`: a board for people, in the browser.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use kiki_book::Book;
use kiki_serve::{Server, Settings};

use crate::evaluation::EvaluationArguments;
use crate::output::print_line;

#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// Port on the loopback interface, 0 for any free port; by default 25454, or a free one if that
    /// is taken.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open the page in a browser.
    #[arg(long)]
    no_open: bool,
    /// Number of search threads of each tab; by default one per logical processor. Levels below the
    /// strongest use one thread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Size of the transposition table of each tab, in MiB.
    #[arg(long, value_name = "MIB", default_value = "64")]
    hash: NonZeroUsize,
    /// Maximum number of open tabs.
    #[arg(long, value_name = "N", default_value = "4")]
    tabs: NonZeroUsize,
    /// Opening book to use instead of the built-in book.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Play without an opening book.
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

pub(crate) fn run(arguments: &ServeArgs) -> anyhow::Result<()> {
    let (evaluation, notes) = arguments.evaluation.load()?;
    notes.iter().for_each(print_line);
    let sigma = kiki_network::embedded_sigma(!evaluation.is_network())?;
    let book = match &arguments.book {
        Some(file) => Some(Book::open(file, false)?),
        None => (!arguments.no_book).then(Book::built_in).transpose()?,
    };
    if let Some(damage) = book.as_ref().and_then(Book::damage) {
        print_line(format_args!("The book is damaged; the rest is used: {damage}"));
    }
    let folder = kiki_platform::user_folder("XDG_DATA_HOME", ".local/share");
    let server = Server::bind(
        arguments.port,
        folder.map(|folder| folder.join("kiki/serve-token")).as_deref(),
        Settings {
            sigma: Arc::new(sigma),
            threads: arguments.threads.map_or_else(num_cpus::get, usize::from),
            table_mebibytes: arguments.hash.get(),
            book: book.map(Arc::new),
            tabs: arguments.tabs.get(),
            program: format!("Kiki {} · {}", env!("CARGO_PKG_VERSION"), evaluation.describe()),
            weights: evaluation.weights,
        },
    )?;
    server.notes().iter().for_each(print_line);
    let address = server.address();
    print_line(format_args!("Open this address on this machine: {address}"));
    print_line("Press Ctrl-C to end.");
    if !arguments.no_open {
        // If no browser opens, the address must suffice.
        let _ = open::that_detached(&address);
    }
    Ok(server.run()?)
}
