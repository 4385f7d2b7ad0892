//! Options of the council and of its members.

use clap::ValueEnum as _;
use kiki_driver::EngineIdentity;
use kiki_usi::{
    DeclarationError, OptionChange, OptionDeclaration, OptionEffect, OptionError, OptionKind, OptionSet, OptionValue,
};

use crate::settings::{CouncilSettings, LONGEST_TIME, MemberSettings, Rule, SCALES_AND_NOISES, range};

const USUAL_MEMBERS: usize = 3;

/// Default memory for all members, in MiB.
pub(crate) const USUAL_HASH: i64 = 256;

const LARGEST_HASH: i64 = 1 << 25;

/// The words after the dot that are settings rather than options of a member's program.
const SETTINGS: [&str; 4] = ["Command", "Directory", "Scale", "Noise"];

/// The member that an option belongs to, from 0, and its name there: `m2.Threads` is the option
/// `Threads` of the second member. `None` for an option of the council.
pub(crate) fn of_member(name: &str) -> Option<(usize, &str)> {
    let (member, rest) = name.split_once('.')?;
    let number: usize = member.strip_prefix(['m', 'M'])?.parse().ok()?;
    Some((number.checked_sub(1)?, rest))
}

/// The member setting of this name; `None` for an option of the member's program.
pub(crate) fn member_setting(name: &str) -> Option<&'static str> {
    SETTINGS.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// The options of a council and its members with their present values as defaults; `programs` are
/// the members that run.
pub(crate) fn declare(
    settings: &CouncilSettings,
    programs: &[Option<EngineIdentity>],
) -> Result<OptionSet, DeclarationError> {
    let mut options = OptionSet::default();
    let rules: Vec<String> = Rule::value_variants().iter().map(|rule| rule.name()).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let whole = |value: f64| value.round() as i64;
    for declaration in [
        OptionDeclaration::check("USI_Ponder", false),
        OptionDeclaration::spin("USI_Hash", USUAL_HASH, 1, LARGEST_HASH),
        OptionDeclaration::combo("Rule", &settings.rule.name(), &rules),
        OptionDeclaration::spin("Loss", whole(settings.loss).clamp(1, 10_000), 1, 10_000),
        OptionDeclaration::spin("Margin", i64::from(settings.margin), 0, i64::from(LONGEST_TIME)),
        OptionDeclaration::spin("Patience", i64::from(settings.patience), 0, i64::from(LONGEST_TIME)),
        OptionDeclaration::spin("MultiPV", i64::from(settings.multi_pv), 1, 64),
    ] {
        options.declare(declaration)?;
    }
    let none = MemberSettings::default();
    for member in 0..settings.members.len().max(USUAL_MEMBERS) {
        let settings = settings.members.get(member).unwrap_or(&none);
        let name = |what: &str| format!("m{}.{what}", member + 1);
        let directory = settings.directory.as_ref().map_or_else(String::new, |path| path.display().to_string());
        for (what, value) in [("Command", &settings.command), ("Directory", &directory)] {
            let declaration = OptionDeclaration::string(&name(what), value);
            // Several words cannot be declared, and a GUI that sends back defaults must not empty
            // the value.
            if declaration.check_words().is_ok() {
                options.declare(declaration)?;
            }
        }
        options.declare(OptionDeclaration::string(&name("Scale"), &settings.scale.to_string()))?;
        options.declare(OptionDeclaration::string(&name("Noise"), &settings.noise.to_string()))?;
        let Some(Some(program)) = programs.get(member) else { continue };
        for option in &program.options {
            // A GUI that sends back defaults must not change what the file says.
            let told = settings.option_texts().find(|(name, _)| option.is_named(name));
            let value = told.and_then(|(_, text)| value_of(option, &text));
            let default = value.unwrap_or_else(|| option.default.clone());
            let declaration = OptionDeclaration { name: name(&option.name), kind: option.kind.clone(), default };
            // A program may declare an option twice or senselessly; it can still be set.
            let _ = options.declare(declaration);
        }
    }
    Ok(options)
}

/// The value of an option that is set to this text; `None` if it refuses the text.
pub(crate) fn value_of(option: &OptionDeclaration, text: &str) -> Option<OptionValue> {
    let mut options = OptionSet::default();
    options.declare(option.clone()).ok()?;
    options.set(&option.name, Some(text)).ok()?;
    options.get(&option.name).ok().cloned()
}

/// Whether this text is the default; a button has none.
pub(crate) fn is_default(option: &OptionDeclaration, value: &str) -> bool {
    option.kind != OptionKind::Button && value_of(option, value).as_ref() == Some(&option.default)
}

/// Applies a change of one of the council's own options. A default that a GUI sends back changes
/// nothing, so that the file may give a fractional loss.
pub(crate) fn apply(
    options: &OptionSet,
    change: &OptionChange,
    settings: &mut CouncilSettings,
) -> Result<(), OptionError> {
    let name = change.name.as_str();
    let number = || options.spin(name).map(|value| u32::try_from(value).unwrap_or(0));
    if change.effect != OptionEffect::Changed {
        return Ok(());
    }
    match name {
        "Rule" => settings.rule = Rule::from_str(options.text(name)?, true).unwrap_or_default(),
        "Loss" => settings.loss = options.spin(name)? as f64,
        "Margin" => settings.margin = number()?,
        "Patience" => settings.patience = number()?,
        "MultiPV" => settings.multi_pv = number()?,
        _ => {}
    }
    Ok(())
}

/// Refuses a scale or noise that is not in [`SCALES_AND_NOISES`].
pub(crate) fn change_member(settings: &mut MemberSettings, what: &str, value: &str) -> Result<(), String> {
    let positive = || match value.parse::<f64>() {
        Ok(number) if SCALES_AND_NOISES.contains(&number) => Ok(number),
        _ => Err(format!("{what} is `{value}`, but must be a number {}", range(&SCALES_AND_NOISES))),
    };
    match what {
        "Command" => value.clone_into(&mut settings.command),
        "Directory" => settings.directory = (!value.is_empty()).then(|| value.into()),
        "Scale" => settings.scale = positive()?,
        _ => settings.noise = positive()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_an_option_is_about() {
        assert_eq!((of_member("m2.noise"), member_setting("noise")), (Some((1, "noise")), Some("Noise")));
        assert_eq!((of_member("M1.USI_Hash"), member_setting("USI_Hash")), (Some((0, "USI_Hash")), None));
        for odd in ["Rule", "m0.Threads", "mx.Threads", "x1.Threads", "m1"] {
            assert_eq!(of_member(odd), None, "{odd}");
        }
    }

    #[test]
    fn settings_are_declared_and_applied() {
        let members = vec![MemberSettings::of_command("kiki"), MemberSettings::of_command("ssh host kiki")];
        let mut settings = CouncilSettings { members, ..Default::default() };
        let program = EngineIdentity {
            options: vec![OptionDeclaration::spin("Threads", 1, 1, 8), OptionDeclaration::spin("Threads", 1, 1, 8)],
            ..Default::default()
        };
        let mut options = declare(&settings, &[Some(program)]).unwrap();
        assert_eq!((options.text("m1.Command"), options.text("m3.Command")), (Ok("kiki"), Ok("")));
        assert_eq!(options.spin("m1.Threads"), Ok(1));
        assert!(options.text("m2.Command").is_err() && options.text("m2.Noise").is_ok());
        for (name, value) in [("Rule", "majority"), ("Loss", "70"), ("Margin", "5"), ("MultiPV", "4")] {
            let change = options.set(name, Some(value)).unwrap();
            apply(&options, &change, &mut settings).unwrap();
        }
        assert_eq!((settings.rule, settings.loss, settings.margin, settings.multi_pv), (Rule::Majority, 70.0, 5, 4));
    }

    #[test]
    fn what_was_not_set_is_as_the_file_says() {
        let mut settings = CouncilSettings { loss: 80.5, margin: 600_000, ..Default::default() };
        let mut options = declare(&settings, &[]).unwrap();
        // A GUI sends back the declared value, and then another one.
        for (name, value) in [("Loss", "81"), ("Margin", "600000"), ("Patience", "9")] {
            let change = options.set(name, Some(value)).unwrap();
            apply(&options, &change, &mut settings).unwrap();
        }
        assert_eq!((settings.loss, settings.margin, settings.patience), (80.5, 600_000, 9));
        let change = options.set("loss", Some("82")).unwrap();
        apply(&options, &change, &mut settings).unwrap();
        assert_eq!(settings.loss, 82.0);
    }

    #[test]
    fn options_of_programs_are_declared_with_what_the_file_gives_them() {
        let mut member = MemberSettings::of_command("kiki");
        member.options = toml::from_str("threads = 4\nUSI_Ponder = true\nEval = 'formula'\nHash = 99").unwrap();
        let settings = CouncilSettings { members: vec![member], ..Default::default() };
        let options = vec![
            OptionDeclaration::spin("Threads", 1, 1, 8),
            OptionDeclaration::check("USI_Ponder", false),
            OptionDeclaration::combo("Eval", "network", &["network", "formula"]),
            OptionDeclaration::spin("Hash", 16, 1, 64),
        ];
        assert!(is_default(&options[0], "1") && !is_default(&options[0], "2") && is_default(&options[2], "Network"));
        let declared = declare(&settings, &[Some(EngineIdentity { options, ..Default::default() })]).unwrap();
        assert_eq!((declared.spin("m1.Threads"), declared.check("m1.USI_Ponder")), (Ok(4), Ok(true)));
        // Values that the program refuses are not declared either.
        assert_eq!((declared.text("m1.Eval"), declared.spin("m1.Hash")), (Ok("formula"), Ok(16)));
    }

    #[test]
    fn invalid_numbers_change_nothing() {
        let mut settings = MemberSettings::of_command("kiki");
        for (what, value) in [("Noise", "loud"), ("Scale", "0"), ("Noise", "inf"), ("Scale", "")] {
            assert!(change_member(&mut settings, what, value).unwrap_err().contains(value));
        }
        change_member(&mut settings, "Noise", "140").unwrap();
        assert_eq!((settings.noise, settings.scale), (140.0, 1.0));
    }
}
