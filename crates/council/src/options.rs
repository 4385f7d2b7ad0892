//! Options of the council and of its members.

use kiki_driver::EngineIdentity;
use kiki_usi::{DeclarationError, OptionDeclaration, OptionError, OptionSet};

use crate::rule::Rule;
use crate::settings::{CouncilSettings, MemberSettings};

/// Members that can be added by options alone.
const USUAL_MEMBERS: usize = 3;

/// The longest time that an option takes, in milliseconds.
const LONGEST_TIME: i64 = 600_000;

/// The most memory for all members, in MiB.
const LARGEST_HASH: i64 = 1 << 25;

/// What an option is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The council itself.
    Council,
    /// A member's settings: `Command`, `Directory`, `Scale` or `Noise`.
    Settings {
        /// The member; the first is 0.
        member: usize,
        /// The word after the dot.
        what: String,
    },
    /// An option of a member's program.
    Program {
        /// The member; the first is 0.
        member: usize,
        /// The option's name there.
        name: String,
    },
}

/// The words after the dot that are no options of a member's program.
const SETTINGS: [&str; 4] = ["Command", "Directory", "Scale", "Noise"];

/// What an option with this name is about: `m2.Threads` is the option `Threads` of the second member's program.
#[must_use]
pub fn target(name: &str) -> Target {
    let of_member = || {
        let (member, rest) = name.split_once('.')?;
        let number: usize = member.strip_prefix(['m', 'M'])?.parse().ok()?;
        Some((number.checked_sub(1)?, rest))
    };
    let Some((member, rest)) = of_member() else { return Target::Council };
    match SETTINGS.into_iter().find(|known| known.eq_ignore_ascii_case(rest)) {
        Some(what) => Target::Settings { member, what: what.to_owned() },
        None => Target::Program { member, name: rest.to_owned() },
    }
}

/// The options of a council and its members with their present values as defaults; `programs` are the members that run.
///
/// # Errors
/// If a member's program has an option that cannot be declared.
pub fn declare(settings: &CouncilSettings, programs: &[Option<EngineIdentity>]) -> Result<OptionSet, DeclarationError> {
    let mut options = OptionSet::default();
    let rules: Vec<&str> = Rule::ALL.into_iter().map(Rule::name).collect();
    let whole = |value: f64| value.round() as i64;
    for declaration in [
        OptionDeclaration::check("USI_Ponder", false),
        OptionDeclaration::spin("USI_Hash", 256, 1, LARGEST_HASH),
        OptionDeclaration::combo("Rule", settings.rule.name(), &rules),
        OptionDeclaration::spin("Loss", whole(settings.loss).clamp(1, 10_000), 1, 10_000),
        OptionDeclaration::spin("Margin", i64::from(settings.margin), 0, LONGEST_TIME),
        OptionDeclaration::spin("Patience", i64::from(settings.patience), 0, LONGEST_TIME),
        OptionDeclaration::spin("MultiPV", i64::from(settings.multi_pv), 1, 64),
    ] {
        options.declare(declaration)?;
    }
    let none = MemberSettings::of_command("");
    for member in 0..settings.members.len().max(USUAL_MEMBERS) {
        let settings = settings.members.get(member).unwrap_or(&none);
        let name = |what: &str| format!("m{}.{what}", member + 1);
        let directory = settings.directory.as_ref().map_or_else(String::new, |path| path.display().to_string());
        for (what, value) in [("Command", &settings.command), ("Directory", &directory)] {
            let declaration = OptionDeclaration::string(&name(what), value);
            // What is more than a word cannot be declared, and a GUI that sends defaults must not empty it.
            if declaration.check_words().is_ok() {
                options.declare(declaration)?;
            }
        }
        options.declare(OptionDeclaration::string(&name("Scale"), &settings.scale.to_string()))?;
        options.declare(OptionDeclaration::string(&name("Noise"), &settings.noise.to_string()))?;
        let Some(Some(program)) = programs.get(member) else { continue };
        for option in &program.options {
            let declaration = OptionDeclaration { name: name(&option.name), kind: option.kind.clone() };
            // A program may declare an option twice or senselessly; it can still be set.
            let _ = options.declare(declaration);
        }
    }
    Ok(options)
}

/// Takes the values of the council's own options over.
///
/// # Errors
/// If one is missing, which none is that [`declare`] has made.
pub fn take_over(options: &OptionSet, settings: &mut CouncilSettings) -> Result<(), OptionError> {
    let time = |name: &str| options.spin(name).map(|value| u32::try_from(value).unwrap_or(0));
    settings.rule = Rule::from_name(options.text("Rule")?).unwrap_or_default();
    settings.loss = options.spin("Loss")? as f64;
    settings.margin = time("Margin")?;
    settings.patience = time("Patience")?;
    settings.multi_pv = time("MultiPV")?;
    Ok(())
}

/// Changes a member's settings. An error says what is wrong with the value.
///
/// # Errors
/// A scale or noise that is no number above 0.
pub fn change(settings: &mut MemberSettings, what: &str, value: &str) -> Result<(), String> {
    let positive = || match value.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("{what} is `{value}`, but must be a number above 0")),
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
        assert_eq!(target("Rule"), Target::Council);
        assert_eq!(target("m2.noise"), Target::Settings { member: 1, what: "Noise".to_owned() });
        assert_eq!(target("M1.USI_Hash"), Target::Program { member: 0, name: "USI_Hash".to_owned() });
        for odd in ["m0.Threads", "mx.Threads", "x1.Threads", "m1"] {
            assert_eq!(target(odd), Target::Council, "{odd}");
        }
    }

    #[test]
    fn settings_are_declared_and_taken_over() {
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
            options.set(name, Some(value)).unwrap();
        }
        take_over(&options, &mut settings).unwrap();
        assert_eq!((settings.rule, settings.loss, settings.margin, settings.multi_pv), (Rule::Majority, 70.0, 5, 4));
    }

    #[test]
    fn numbers_that_are_none_change_nothing() {
        let mut settings = MemberSettings::of_command("kiki");
        for (what, value) in [("Noise", "loud"), ("Scale", "0"), ("Noise", "inf"), ("Scale", "")] {
            assert!(change(&mut settings, what, value).unwrap_err().contains(value));
        }
        change(&mut settings, "Noise", "140").unwrap();
        assert_eq!((settings.noise, settings.scale), (140.0, 1.0));
    }
}
