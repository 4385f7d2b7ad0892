//! Settings files that people write: `engine_options.txt`, and the TOML of `kiki-csa` and
//! `kiki-council`.

use kiki_council::settings::CouncilSettings;
use kiki_csa::settings::ClientSettings;
use kiki_usi::{OptionDeclaration, OptionSet, settings};

use crate::common::check_error;

/// Every line is a setting, applied or refused in one line, or is itself refused.
pub(crate) fn check_engine_options(bytes: &[u8]) {
    let mut options = OptionSet::default();
    for declaration in [
        OptionDeclaration::spin("USI_Hash", 256, 1, 33_554_432),
        OptionDeclaration::check("USI_Ponder", false),
        OptionDeclaration::combo("Eval", "network", &["network", "formula"]),
        OptionDeclaration::string("BookFile", "no_book"),
        OptionDeclaration::filename("DebugLogFile", ""),
        OptionDeclaration::button("Clear_Hash"),
    ] {
        options.declare(declaration).expect("a good declaration");
    }
    for setting in settings(bytes) {
        let Ok(setting) = setting.inspect_err(|error| check_error(error)) else { continue };
        match options.set(&setting.name, setting.value.as_deref()) {
            Ok(change) => assert!(change.name.eq_ignore_ascii_case(&setting.name), "{setting:?}"),
            Err(error) => check_error(&error),
        }
    }
    assert!((1..=33_554_432).contains(&options.spin("USI_Hash").expect("declared")));
    assert!(["network", "formula"].contains(&options.text("Eval").expect("declared")));
    options.adopt_values_as_defaults();
    for declaration in options.declarations() {
        let line = declaration.to_string();
        assert!(declaration.check_words().is_ok() && line.is_ascii() && !line.contains(char::is_control), "{line}");
    }
}

/// Lines of every kind.
pub(crate) fn engine_options_seeds() -> Vec<Vec<u8>> {
    ["# settings\r\nUSI_Hash 1024\r\nusi_ponder true\nEval formula\n// more\nBookFile my book.db\nClear_Hash\nDebugLogFile a/b.log\nThreads 4\n"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}

/// A file is refused without quoting its password, or accepted, or invalid for a reported reason.
pub(crate) fn check_csa_settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match ClientSettings::parse(text) {
        Ok(settings) => {
            match settings.check().and_then(|()| settings.engine.spec(settings.play.ponder)) {
                Ok(spec) => assert!(spec.options.iter().all(|(name, value)| !format!("{name}{value}").contains('\n'))),
                Err(error) => check_error(&format!("{error:#}")),
            }
            let password = settings.server.password.reveal();
            // Shorter ones may be part of another word.
            assert!(password.len() < 12 || !format!("{settings:?}").contains(password));
        }
        Err(error) => check_error(&format!("{error:#}")),
    }
}

/// The example, and a longer file.
pub(crate) fn csa_settings_seeds() -> Vec<Vec<u8>> {
    const MORE: &str = "[server]\nhost = \"127.0.0.1\"\nname = \"kiki\"\npassword = \"test-300-10F,x\"\nkeep_alive = 30\nreconnect_after = 0.5\nstay = true\n\
                        [engine]\ncommand = \"sh -c 'my engine'\"\noptions = { Threads = 2, OwnBook = false, EvalFile = \"a b\" }\n\
                        [play]\ngames = 3\nponder = \"early\"\nmargin = 1000\n[records]\nkif = false\n[log]\nlevel = 'trace'\n";
    [include_str!("../../../examples/csa.toml"), MORE].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// A file is a council, or is refused with a reason. The options of its members are single lines.
pub(crate) fn check_council_settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Errors of TOML show the place in several lines.
    let Ok(settings) = CouncilSettings::parse(text) else { return };
    for member in &settings.members {
        for (name, value) in member.option_texts() {
            assert!(member.fixes(&name) && !value.contains('\n') && !name.contains('\n'), "{name}={value}");
        }
        if let Err(error) = member.program() {
            check_error(&format!("{error:#}"));
        }
    }
}

/// The example, and a longer file.
pub(crate) fn council_settings_seeds() -> Vec<Vec<u8>> {
    const MORE: &str = "rule = 'majority'\nloss = 80.5\nmargin = 50\npatience = 1000\nmultipv = 3\n[[member]]\ncommand = \"ssh host 'my engine'\"\n\
                        directory = '/tmp'\nscale = 0.9\nnoise = 1e3\noptions = { Threads = 1, Eval = \"formula\", Ponder = true }\n";
    [include_str!("../../../examples/council.toml"), MORE].map(|text| text.as_bytes().to_vec()).to_vec()
}
