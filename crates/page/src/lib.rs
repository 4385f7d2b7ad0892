//! Pages: one HTML document with style, program and data, which loads nothing from elsewhere. Most
//! have a shogi board; a report about a run has text and tables alone.
//!
//! A page with a board brings its own body, style and program. The parts here come before them: colours and
//! layout, words in two languages, elements, values, positions, and the board with its pieces in
//! hand. The whole program has one scope, so a part may use what earlier ones define.

mod report;

pub use report::{escaped_html, reloading};

/// The layout of a page that has a board, and the look of its parts.
const STYLE: [&str; 2] = [include_str!("parts/layout.css"), include_str!("parts/parts.css")];
/// In the order in which the browser reads them.
const PROGRAM: [&str; 7] = [
    include_str!("parts/texts.js"),
    include_str!("parts/elements.js"),
    include_str!("parts/values.js"),
    include_str!("parts/position.js"),
    include_str!("parts/pieces.js"),
    include_str!("parts/motion.js"),
    include_str!("parts/board.js"),
];

/// The beginning of a body: title, facts below it, and the choice of the language.
pub const HEADER: &str = include_str!("parts/header.html");

/// The program of [`HEADER`]: the page calls `startHeading`.
pub const HEADING: &str = include_str!("parts/header.js");

/// For a page on which the reader moves: buttons for squares and pieces in hand, and pieces that
/// follow a mouse or a finger. The body needs a
/// `div` of class `stack` around the board, with elements `squares` and `promotion` in it. The
/// program sets the functions of `input`, and defines `draw` and `announce`.
pub const SQUARES: &str = concat!(include_str!("parts/squares.js"), include_str!("parts/drag.js"));
/// The legal moves of a position and their names, for a page without an engine. Comes after
/// [`SQUARES`].
pub const RULES: &str = include_str!("parts/rules.js");
/// The look of [`SQUARES`].
pub const SQUARES_STYLE: &str = include_str!("parts/squares.css");

/// The list of moves, in a list with the id `moves`, and lines of engines that the board can show.
/// Comes after [`SQUARES`]; the program sets the functions of `lines`.
pub const MOVES: &str = include_str!("parts/moves.js");

/// A graph of winning probabilities, in an `svg` with the id `graph` and the role `slider`.
pub const GRAPH: &str = include_str!("parts/graph.js");

/// What a page adds to the parts that all pages share.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The title, as plain text.
    pub title: &'a str,
    /// What else the browser may load: a directive of a content security policy, such as
    /// `connect-src 'self'`; may be empty.
    pub policy: &'a str,
    pub style: &'a [&'a str],
    /// The body, as HTML. Where it has an `svg` with the id `board`, it has `far`, `near` and
    /// `<!-- controls -->` around it, and may have stands for the pieces in hand: `far-stand`, `near-stand`.
    pub body: &'a str,
    /// Data for the program: the id of an element, and its JSON.
    pub data: Option<(&'a str, &'a str)>,
    /// The parts of the program, in order.
    pub program: &'a [&'a str],
}

impl Page<'_> {
    #[must_use]
    pub fn html(&self) -> String {
        let (style, program) = (STYLE.concat() + &self.style.concat(), PROGRAM.concat() + &self.program.concat());
        let (title, policy, body) = (
            escaped_html(self.title),
            self.policy,
            self.body.replace("<!-- controls -->", include_str!("parts/controls.html")),
        );
        let data = self.data.map(|(id, json)| {
            format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", escaped_json(json))
        });
        let data = data.unwrap_or_default();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; {policy}\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n\
             <body>\n{body}{data}<script>\n\"use strict\";\n(() => {{\n{program}}})();\n</script>\n</body>\n</html>\n"
        )
    }
}

/// Escapes the characters of JSON that could end a script or begin a comment in it. Only JSON
/// strings hold them.
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
            let (_, texts) = include_str!("parts/texts.js").split_once(start).unwrap();
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
    fn what_could_end_the_data_or_the_title_is_escaped() {
        let page = Page {
            title: "a</title><b>",
            policy: "",
            style: &[],
            body: "",
            data: Some(("data", "\"</script><!--&\u{2028}\u{2029}\"")),
            program: &[],
        };
        let html = page.html();
        assert!(html.contains("<title>a&lt;/title&gt;&lt;b&gt;</title>"), "{html}");
        assert!(html.contains(r#"id="data">"\u003c/script\u003e\u003c!--\u0026\u2028\u2029"</script>"#), "{html}");
    }
}
