//! The page about an answer: what it has, and how it behaves in a browser (Chromium, where there is one).

mod common;

use common::{HEAD, answer};
use craig_report::{Cost, page::page};
use craig_solve::Reading;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const UNSAFE: &str = r#"
int left(int n);
int right(int n) { return n < 2 ? n : left(n - 1) + left(n - 2); }
int left(int n) { return n < 2 ? n : right(n - 1) + right(n - 2); }
int main(void) {
  const char *text = "</script><b>";
  int x = __VERIFIER_nondet_int();
  if (x == 7 && left(4) == 3) reach_error();
  return text[0];
}"#;

const SAFE: &str = r#"
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) x = 1 - x;
  if (x > 1) reach_error();
  return 0;
}"#;

fn page_of(body: &str, engine: &str) -> String {
    page(
        "test.c",
        Some(&format!("{HEAD}{body}")),
        &answer(body, engine, Reading::default()),
        &Cost::default(),
    )
}

fn data(page: &str) -> Value {
    let from = page.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let to = from + page[from..].find("</script>").expect("its end");
    serde_json::from_str(&page[from..to]).expect("JSON")
}

#[test]
fn everything_is_in_the_page() {
    let page = page_of(UNSAFE, "bmc");
    assert!(!page.contains("{{"), "a place that was not filled");
    for outside in ["http://", "https://", " src=", "@import", "url(//"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = data(&page);
    assert_eq!(data["record"]["verdict"], "UNSAFE");
    assert_eq!(data["lines"][6], "  const char *text = \"</script><b>\";");
    let steps = data["steps"].as_array().expect("steps");
    let values: Vec<&str> = steps.iter().filter_map(|step| step["values"][0].as_str()).collect();
    assert!(values.contains(&"x = 7"), "{values:?}");
    assert!(values.contains(&"returns 1"), "{values:?}");
    let call = steps.iter().find(|step| step["arguments"][0] == "n = 4").expect("the first call");
    assert_eq!(call["function"], "main");
    let names: Vec<&str> = data["graph"]["procedures"]
        .as_array()
        .expect("graph")
        .iter()
        .filter_map(|p| p["name"].as_str())
        .collect();
    assert!(["main", "left", "right"].iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn the_proof_stands_beside_the_source() {
    let data = data(&page_of(SAFE, "predicate"));
    assert_eq!(data["record"]["verdict"], "SAFE");
    let claims = data["invariants"].as_array().expect("claims");
    assert!(
        claims.iter().any(|claim| claim["line"] == 5 && claim["conditions"][0] == "0 <= x <= 1"),
        "{claims:?}"
    );
    let nodes = data["graph"]["procedures"][0]["nodes"].as_array().expect("nodes");
    assert!(!nodes.is_empty());
}

/// Chromium, if there is one.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .flat_map(|dir| ["chromium", "chromium-browser", "google-chrome"].map(|name| dir.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no chromium");
    }
    found
}

/// What a script finds in a page: it calls `tell(name, value)`.
fn visit(browser: &Path, page: &str, script: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let test = format!(
        "<script>addEventListener('load', () => {{ const told = {{}}; const tell = (n, v) => {{ told[n] = v; }};
        const key = (k) => document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: k, bubbles: true }}));
        const tab = (n) => [...document.querySelectorAll('#tabs button')].find((b) => b.textContent === n).click();
        const $ = (s) => document.querySelector(s); const all = (s) => [...document.querySelectorAll(s)];
        try {{ {script} }} catch (e) {{ tell('error', String(e)); }}
        const out = document.createElement('pre'); out.id = 'told'; out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(told))));
        document.body.append(out); }});</script></body>"
    );
    std::fs::write(&file, page.replace("</body>", &test)).expect("the page");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(["--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser");
    let dom = String::from_utf8_lossy(&output.stdout);
    let from =
        dom.find("id=\"told\">").unwrap_or_else(|| panic!("nothing was told: {dom}")) + "id=\"told\">".len();
    let to = from + dom[from..].find('<').expect("its end");
    let bytes = base64(&dom[from..to]);
    serde_json::from_slice(&bytes).expect("JSON")
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for value in text.bytes().filter_map(digit) {
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    out
}

#[test]
fn keys_step_through_the_run() {
    let Some(browser) = browser() else { return };
    let told = visit(
        &browser,
        &page_of(UNSAFE, "bmc"),
        "tell('start', $('#counter').textContent); key('j'); key('ArrowRight'); tell('third', $('#counter').textContent);
         key('k'); tell('second', $('#counter').textContent); key('End'); tell('line', $('.row.now .number').textContent);
         key('Home'); key('j'); key('j'); key('n'); tell('over', $('#counter').textContent);
         tell('frames', all('#values tr.frame').map((e) => e.textContent));
         const before = all('.step').length; $('#foldall').click(); tell('folded', all('.step').length < before);
         $('#unfold').click(); tell('unfolded', all('.step').length === before);",
    );
    assert_eq!(told.get("error"), None, "{told}");
    assert!(told["start"].as_str().is_some_and(|text| text.starts_with("step 1 of ")), "{told}");
    assert!(told["third"].as_str().is_some_and(|text| text.starts_with("step 3 of ")), "{told}");
    assert!(told["second"].as_str().is_some_and(|text| text.starts_with("step 2 of ")), "{told}");
    assert_eq!(told["line"], "9");
    assert_eq!(told["folded"], true);
    assert_eq!(told["unfolded"], true);
    assert_eq!(told["frames"][0], "main");
}

#[test]
fn search_tabs_and_colours() {
    let Some(browser) = browser() else { return };
    let told = visit(
        &browser,
        &page_of(SAFE, "predicate"),
        "const s = $('#search'); s.value = 'X'; s.dispatchEvent(new Event('input')); tell('hits', all('.row.hit').length);
         tell('words', $('#hits').textContent);
         tell('claim', $('.row .claims').textContent);
         const light = document.documentElement.dataset.theme; key('d'); tell('turned', light !== document.documentElement.dataset.theme);
         tab('Graph'); tell('nodes', all('#drawing circle').length); tell('edges', all('#drawing g.edge').length);
         tab('Time'); tell('bars', all('.time .track').length); tab('Counters'); tell('counters', all('#panel tr').length);
         tab('Assumptions'); tell('assumed', $('#panel').textContent); tell('scripts', all('script[src], link, img').length);",
    );
    assert_eq!(told.get("error"), None, "{told}");
    assert_eq!(told["hits"], 3);
    assert_eq!(told["words"], "1 of 3 lines");
    assert_eq!(told["claim"], "0 <= x <= 1");
    assert_eq!(told["turned"], true);
    assert!(told["nodes"].as_u64() > Some(3) && told["edges"].as_u64() > Some(3), "{told}");
    assert!(told["bars"].as_u64() >= Some(1) && told["counters"].as_u64() > Some(5), "{told}");
    assert_eq!(told["assumed"], "Nothing is assumed.");
    assert_eq!(told["scripts"], 0);
}

#[test]
fn a_large_program_opens() {
    let Some(browser) = browser() else { return };
    // Ten thousand lines, and one procedure whose graph has five thousand nodes.
    let mut body =
        String::from("int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 3) reach_error();\n");
    for i in 0..2500 {
        let _ = writeln!(body, "  if (x == {i})\n    x = {};\n\n", i + 1);
    }
    body.push_str("  return x;\n}\n");
    let page = page_of(&body, "bmc");
    assert!(data(&page)["graph"]["procedures"].as_array().expect("graph").iter().any(|p| {
        p["nodes"].as_array().is_some_and(|nodes| nodes.len() >= 2500)
            && p["ways"].as_array().is_some_and(|ways| ways.len() >= 5000)
    }));
    let told = visit(
        &browser,
        &page,
        "tell('rows', all('.row').length); tab('Graph'); tell('edges', all('#drawing g.edge').length);
         tell('milliseconds', Math.round(performance.now()));",
    );
    assert_eq!(told.get("error"), None, "{told}");
    assert!(told["rows"].as_u64() >= Some(10_000), "{told}");
    assert!(told["edges"].as_u64() >= Some(5_000), "{told}");
}
