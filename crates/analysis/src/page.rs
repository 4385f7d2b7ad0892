//! The report as one HTML page with style, program and data, which loads nothing else.

use crate::report::GameReport;

const STYLE: [&str; 2] = [include_str!("page/layout.css"), include_str!("page/parts.css")];
/// In the order in which the browser reads them.
const PROGRAM: [&str; 9] = [
    include_str!("page/elements.js"),
    include_str!("page/texts.js"),
    include_str!("page/position.js"),
    include_str!("page/values.js"),
    include_str!("page/board.js"),
    include_str!("page/graph.js"),
    include_str!("page/panels.js"),
    include_str!("page/lists.js"),
    include_str!("page/main.js"),
];
/// Forbids browsers to load anything from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
const BODY: &str = include_str!("page/body.html");

/// The page of a report.
///
/// # Errors
/// The report cannot be written as JSON, which no report of this crate does.
pub fn html(report: &GameReport) -> serde_json::Result<String> {
    let data = escaped_json(&serde_json::to_string(report)?);
    let title = escaped_html(&title(report));
    let (style, program) = (STYLE.concat(), PROGRAM.concat());
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n\
         <body>\n{BODY}<script type=\"application/json\" id=\"report\">{data}</script>\n\
         <script>\n\"use strict\";\n(() => {{\n{program}}})();\n</script>\n</body>\n</html>\n"
    ))
}

/// `Black - White`, or the name of the game.
fn title(report: &GameReport) -> String {
    let game = &report.game;
    if game.black.is_empty() && game.white.is_empty() {
        return game.name.clone();
    }
    let name = |name: &str| if name.is_empty() { "?".to_owned() } else { name.to_owned() };
    format!("☗{} ☖{}", name(&game.black), name(&game.white))
}

fn escaped_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes the letters of JSON that could end a script or begin a comment in it. Only texts have such letters.
fn escaped_json(json: &str) -> String {
    let escaped = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_words_in_both_languages() {
        let [japanese, english] = ["ja: {", "en: {"].map(|start| {
            let (_, texts) = include_str!("page/texts.js").split_once(start).unwrap();
            let (_, reasons) = texts.split_once("reasons: {").unwrap();
            reasons.split_once('}').unwrap().0
        });
        for reason in kiki_record::EndReason::ALL {
            for reasons in [japanese, english] {
                let name = reason.json_name();
                assert!(
                    reasons.contains(&format!("\"{name}\": ")) || reasons.contains(&format!(" {name}: ")),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_could_end_the_data_is_escaped() {
        assert_eq!(escaped_json("</script><!--&\u{2028}\u{2029}"), r"\u003c/script\u003e\u003c!--\u0026\u2028\u2029");
    }
}
