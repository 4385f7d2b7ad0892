//! The input of a case: the engine, its known abilities, and sessions with it.

use std::path::Path;

use kiki_driver::CancellationToken;
use kiki_usi::{OptionDeclaration, OptionKind, OptionValue, Reply};

use crate::pipes::Line;
use crate::session::{EngineSession, Errors, PONDER};
use crate::settings::{CheckSettings, EngineUnderTest, Outcome, Problem};

pub(crate) struct CaseContext<'a> {
    engine: &'a EngineUnderTest,
    pub(crate) settings: CheckSettings,
    cancel: &'a CancellationToken,
    pub(crate) options: Vec<OptionDeclaration>,
    /// An idle session that the last case has left in order, and one with an engine that ponders.
    idle: [Option<EngineSession>; 2],
}

impl<'a> CaseContext<'a> {
    pub(crate) fn new(engine: &'a EngineUnderTest, settings: CheckSettings, cancel: &'a CancellationToken) -> Self {
        Self { engine, settings, cancel, options: Vec::new(), idle: [None, None] }
    }

    pub(crate) fn learn_options(&mut self, handshake: &[Line]) {
        let options = handshake.iter().filter_map(|line| match Reply::parse(line.text.as_bytes()) {
            Reply::Option(declaration) => Some(declaration),
            _ => None,
        });
        self.options = options.collect();
    }

    /// A new process that has received nothing.
    pub(crate) fn process(&self, errors: Errors) -> Result<EngineSession, Problem> {
        EngineSession::start(&self.engine.program, errors, self.settings, self.cancel)
    }

    pub(crate) fn process_in(&self, folder: &Path) -> Result<EngineSession, Problem> {
        let program = self.engine.program.clone().in_directory(Some(folder));
        EngineSession::start(&program, Errors::Read, self.settings, self.cancel)
    }

    /// A new process that has answered `usi` and got the user's options.
    pub(crate) fn introduced(&self) -> Result<EngineSession, Problem> {
        let mut session = self.process(Errors::Read)?;
        session.handshake()?;
        self.set_options(&mut session);
        Ok(session)
    }

    pub(crate) fn set_options(&self, session: &mut EngineSession) {
        for (name, value) in &self.engine.options {
            session.set_option(name, value);
        }
    }

    pub(crate) fn fresh(&self) -> Result<EngineSession, Problem> {
        let mut session = self.introduced()?;
        session.ready()?;
        Ok(session)
    }

    pub(crate) fn option(&self, name: &str) -> Option<&OptionDeclaration> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// The user's value of an option, or its default; `None` for a button.
    pub(crate) fn value_of(&self, option: &OptionDeclaration) -> Option<String> {
        let chosen = self.engine.options.iter().find(|(name, _)| option.is_named(name));
        match (chosen, &option.default) {
            (Some((_, value)), _) | (None, OptionValue::Text(value)) => Some(value.clone()),
            (None, OptionValue::Button) => None,
            (None, default) => Some(default.to_string()),
        }
    }

    /// The name of the option for pondering. Without it, the case is skipped.
    fn ponder_option(&self) -> Result<String, Problem> {
        let option = ["USI_Ponder", "Ponder"].iter().find_map(|name| self.option(name));
        option.map(|option| option.name.clone()).ok_or_else(|| Problem::skipped("no option USI_Ponder"))
    }

    /// The largest value that an option may have, if it is a number.
    pub(crate) fn largest(&self, name: &str) -> Option<i64> {
        match self.option(name)?.kind {
            OptionKind::Spin { max, .. } => Some(max),
            _ => None,
        }
    }

    /// The largest `MultiPV`. The case is skipped if it is below 3.
    pub(crate) fn most_lines(&self) -> Result<i64, Problem> {
        let most = self.largest("MultiPV").filter(|&max| max >= 3);
        most.ok_or_else(|| Problem::skipped("no option MultiPV of 3 or more"))
    }

    /// Runs a case in a ready session that it shares with others of its kind.
    pub(crate) fn with_shared(&mut self, ponders: bool, case: fn(&mut EngineSession) -> Outcome) -> Outcome {
        let mut session = match self.idle[usize::from(ponders)].take() {
            Some(session) => session,
            None if ponders => self.fresh_pondering()?,
            None => self.fresh()?,
        };
        let outcome = case(&mut session)?;
        session.is_through()?;
        self.idle[usize::from(ponders)] = Some(session);
        Ok(outcome)
    }

    /// Runs a case with an infinite search and with pondering, if possible, each in a new process.
    pub(crate) fn searching_and_pondering(&self, case: fn(EngineSession, &str) -> Outcome) -> Outcome {
        case(self.fresh()?, "go infinite")?;
        match self.fresh_pondering() {
            // An engine that does not ponder has nothing more to check.
            Err(Problem::Skipped(_)) => Ok(None),
            session => case(session?, PONDER),
        }
    }

    /// A new process that ponders and has answered `isready`.
    pub(crate) fn fresh_pondering(&self) -> Result<EngineSession, Problem> {
        let option = self.ponder_option()?;
        let mut session = self.introduced()?;
        session.set_option(&option, "true");
        session.ready()?;
        Ok(session)
    }
}
