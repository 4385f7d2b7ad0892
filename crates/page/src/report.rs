//! Pages about a run in progress: text and tables.

const STYLE: &str = "\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
progress { width: 100%; height: 1.2rem }
figure { margin: 2rem 0; background: #fff; border-radius: .5rem; padding: .5rem }
figure svg { width: 100%; height: auto }
.best { font-weight: bold }
.quiet { opacity: .7 }
";

/// A page that loads itself again every few seconds. `body` is HTML.
#[must_use]
pub fn reloading(title: &str, seconds: u32, body: &str) -> String {
    let title = escaped_html(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"refresh\" content=\"{seconds}\"><title>{title}</title>\n\
         <style>\n{STYLE}</style></head><body>\n<h1>{title}</h1>{body}</body></html>\n"
    )
}

/// Text for HTML.
#[must_use]
pub fn escaped_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
