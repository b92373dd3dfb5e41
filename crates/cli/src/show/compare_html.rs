//! A comparison as a report for people who were not there: one file that needs no network.

use switchyard_model::{SimDuration, SimTime};
use switchyard_scheduler::metrics::{Curves, INTERVAL_RULE, SIGN_TEST_RULE, Series};

use super::compare_table::{interval, probability, signs};
use super::html::{Tag, escaped, forest};
use crate::chart::{Chart, Theme, declarations, svg, variables};
use crate::commands::compare::{Compared, Comparison, Row};
use crate::experiment::cell::Cell;
use crate::experiment::digest;
use crate::experiment::figure::FigureUnit;
use crate::fleet::described;

const CSS: &str = include_str!("report.css");
const SIZE: (u32, u32) = (920, 260);
/// Fewer workloads than this prove nothing.
const ENOUGH: usize = 5;

pub(crate) fn page(comparison: &Comparison<'_>) -> String {
    let (light, dark) = declarations();
    let css = CSS.replace("/*light*/", &light).replace("/*dark*/", &dark);
    let title = title(comparison);
    let body = [
        Tag("h1").with(&title),
        format!("<p class=\"sub\">{}</p>", escaped(&subtitle(comparison))),
        caution(comparison),
        in_short(comparison),
        format!("<h2>Figures</h2>\n{}", reading(comparison)),
        comparison.figures.iter().map(|compared| table(comparison, compared)).collect(),
        curves(comparison),
        definitions(comparison),
        identity(comparison),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{css}</style>\n</head>\n<body>\n<main>\n{}\n</main>\n</body>\n</html>\n",
        escaped(&title),
        body.join("\n")
    )
}

fn names<'a>(comparison: &'a Comparison<'_>) -> impl Iterator<Item = &'a str> {
    comparison.cells.iter().map(|cell| &*cell.policy.name)
}

fn title(comparison: &Comparison<'_>) -> String {
    let names: Vec<&str> = names(comparison).collect();
    match names.split_last() {
        Some((last, rest)) if rest.len() < 4 => format!("{} and {last}", rest.join(", ")),
        _ => format!("{} scheduling policies", names.len()),
    }
}

fn subtitle(comparison: &Comparison<'_>) -> String {
    let fleet = described(&comparison.experiment.fleet);
    format!("Scheduling policies compared by simulation: {} on {fleet}", comparison.workloads())
}

fn caution(comparison: &Comparison<'_>) -> String {
    let caution = comparison.caution();
    caution.map(|caution| format!("<p class=\"caution\">{}</p>", escaped(&caution))).unwrap_or_default()
}

/// A sentence for each policy, about waiting and about the use of the machine.
fn in_short(comparison: &Comparison<'_>) -> String {
    let Some(base) = comparison.cells.first().map(|cell| &cell.policy.name) else { return String::new() };
    let sentence = |(index, cell): (usize, &Cell)| {
        let parts: Vec<String> =
            comparison.figures.iter().filter_map(|compared| clause(comparison, compared, index)).collect();
        let name = escaped(&cell.policy.name);
        format!("<li><strong>{name}</strong> against {}: {}.</li>", escaped(base), parts.join("; "))
    };
    let items: String = comparison.cells.iter().enumerate().skip(1).map(sentence).collect();
    format!("<h2>In short</h2>\n<ul class=\"short\">{items}</ul>")
}

/// What became of a figure, with how sure that is.
fn clause(comparison: &Comparison<'_>, compared: &Compared, index: usize) -> Option<String> {
    let wanted = matches!(compared.figure.key, "mean_wait_s" | "mean_bounded_slowdown" | "utilisation");
    let (base, row) = (compared.rows.first()?, compared.rows.get(index)?);
    let paired = row.paired.as_ref().filter(|_| wanted)?;
    let n = comparison.experiment.replicates.len();
    let name = compared.figure.name;
    if paired.equal as usize == n {
        return Some(format!("{name} the same"));
    }
    let clear = n >= ENOUGH && paired.interval.is_some_and(|interval| interval.excludes(0.0));
    if !clear && n > 1 {
        let (better, worse) = (paired.better, paired.worse);
        return Some(format!("{name} without a clear difference ({better} of {n} better, {worse} worse)"));
    }
    let way = if paired.difference.mean < 0.0 { "lower" } else { "higher" };
    let size = match compared.unit {
        FigureUnit::Share => format!("{:.1} percentage points", paired.difference.mean.abs() * 100.0),
        _ if base.sample.mean.abs() > 0.0 => {
            format!("{:.0} %", (paired.difference.mean / base.sample.mean).abs() * 100.0)
        }
        _ => compared.unit.shown(paired.difference.mean.abs()),
    };
    let gained = paired.better > paired.worse;
    let class = if gained { "good" } else { "bad" };
    let sure = if n > 1 { format!(" (better in {} of {n})", paired.better) } else { String::new() };
    Some(format!("{name} <span class=\"{class}\">{size} {way}</span>{sure}"))
}

fn reading(comparison: &Comparison<'_>) -> String {
    let n = comparison.experiment.replicates.len();
    let base = names(comparison).next().unwrap_or_default();
    let base = escaped(base);
    if n < 2 {
        return format!("<p>Differences are to {base}, on the same jobs.</p>");
    }
    format!(
        "<p>Each policy ran the same {n} workloads. The difference is the mean of the {n} differences to {base}, workload by \
         workload, with its 95&nbsp;% interval; an interval that contains 0 shows no difference. The signs count the workloads in which \
         the policy did better, worse or equally well.</p>"
    )
}

fn table(comparison: &Comparison<'_>, compared: &Compared) -> String {
    let ends = compared.rows.iter().filter_map(|row| row.paired.as_ref()).flat_map(|paired| {
        let interval = paired.interval.map(|interval| [interval.low, interval.high]);
        interval.into_iter().flatten().chain([paired.difference.mean])
    });
    let reach = ends.map(f64::abs).fold(0.0, f64::max);
    let rows: String = comparison
        .cells
        .iter()
        .zip(&compared.rows)
        .enumerate()
        .map(|(index, (cell, row))| line(compared, index, &cell.policy.name, row, reach))
        .collect();
    let better = compared.figure.better.name();
    let columns: String =
        ["Policy", "Mean", "SD", "Difference", "95 % interval", "", "Better/worse/equal", "p"]
            .iter()
            .map(|name| Tag("th").with(name))
            .collect();
    let name = format!("{}{}", compared.figure.name, compared.unit.head());
    format!(
        "<div class=\"panel\"><table><caption>{} <span>{better} is better</span></caption><thead><tr>{columns}</tr></thead>\
         <tbody>{rows}</tbody></table></div>\n",
        escaped(&capital(&name))
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn line(compared: &Compared, index: usize, name: &str, row: &Row, reach: f64) -> String {
    let unit = compared.unit;
    let cell = |text: &str| Tag("td").with(text);
    let sd = row.sample.sd.map(|sd| unit.shown(sd)).unwrap_or_default();
    let first = format!("<td>{}{}</td>", key(index), escaped(name));
    let start = format!("<tr>{first}{}{}", cell(&unit.shown(row.sample.mean)), cell(&sd));
    let Some(paired) = &row.paired else {
        return format!("{start}<td></td><td></td><td></td><td></td><td></td></tr>");
    };
    let range = if paired.interval.is_some() { interval(unit, paired.interval) } else { String::new() };
    format!(
        "{start}{}{}<td>{}</td>{}{}</tr>",
        cell(&unit.signed(paired.difference.mean)),
        cell(&range),
        forest(paired, compared.figure.better, reach),
        cell(&signs(paired)),
        cell(&probability(paired.sign_p)),
    )
}

/// The colour of a policy.
fn key(index: usize) -> String {
    format!("<span class=\"key\" style=\"background:var(--c{})\"></span>", index % 8)
}

/// The course of the first workload under each policy.
fn curves(comparison: &Comparison<'_>) -> String {
    let Some(first) = comparison.experiment.replicates.first() else { return String::new() };
    let of_policy: Vec<(&str, &Curves)> = names(comparison)
        .zip(comparison.trials)
        .filter_map(|(name, trials)| Some((name, trials.first()?.curves.as_ref()?)))
        .collect();
    let ends = of_policy.iter().flat_map(|(_, curves)| [&curves.running, &curves.pending]);
    let until =
        ends.filter_map(|series| series.steps().last()).map(|step| step.at).max().unwrap_or(SimTime::ZERO);
    let fleet = comparison.experiment.fleet.capacity();
    let legend: String = of_policy
        .iter()
        .enumerate()
        .map(|(index, (name, _))| format!("<span>{}{}</span>", key(index), escaped(name)))
        .collect();
    let chart = |caption: &str, whole: Option<f64>, series: fn(&Curves) -> &Series| {
        let stretch = whole.map(|_| stretch(until));
        let curves: Vec<&Series> = of_policy.iter().map(|(_, curves)| series(curves)).collect();
        let theme = Theme::light();
        let chart = Chart { caption: None, curves, until, whole, stretch, size: SIZE, theme };
        let svg = svg(&chart).unwrap_or_default();
        let svg = svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{caption}\" "), 1);
        format!(
            "<figure class=\"panel\"><figcaption>{caption}{}</figcaption>{}</figure>\n",
            means(stretch),
            variables(&svg)
        )
    };
    let mut charts = vec![
        chart("Jobs that wait", None, |curves| &curves.pending),
        chart("CPUs in use", Some(f64::from(fleet.cpus.max(1))), |curves| &curves.cpus),
    ];
    if fleet.gpus > 0 {
        charts.push(chart("GPUs in use", Some(f64::from(fleet.gpus)), |curves| &curves.gpus));
    }
    format!(
        "<h2>Over time</h2>\n<p>The course of one workload, {}, under each policy.</p>\n<div class=\"legend\">{legend}</div>\n{}",
        escaped(&first.to_string()),
        charts.concat()
    )
}

/// How long the stretches are that means are taken over: a curve of every single start is only noise.
fn stretch(until: SimTime) -> SimDuration {
    let minutes = until.as_micros() / 60_000_000;
    let usual = [1, 5, 10, 15, 30, 60, 120, 240, 720, 1440, 10_080];
    let stretch = usual.into_iter().find(|stretch| stretch * 150 >= minutes).unwrap_or(43_200);
    SimDuration::from_secs(stretch * 60)
}

fn means(stretch: Option<SimDuration>) -> String {
    stretch.map(|stretch| format!(", means of {stretch}")).unwrap_or_default()
}

fn definitions(comparison: &Comparison<'_>) -> String {
    let slowdown = comparison.experiment.slowdown;
    let figures = comparison.figures.iter().map(|compared| {
        let name = capital(compared.figure.name);
        format!("<dt>{}</dt><dd>{}</dd>", escaped(&name), escaped(&compared.figure.definition(slowdown)))
    });
    let rest = [
        ("SD", "standard deviation over the workloads, with n - 1"),
        ("95 % interval", INTERVAL_RULE),
        ("p", SIGN_TEST_RULE),
    ];
    let rest = rest.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(text)));
    format!("<h2>Definitions</h2>\n<dl>{}</dl>", figures.chain(rest).collect::<String>())
}

/// What it takes to get the same figures again.
fn identity(comparison: &Comparison<'_>) -> String {
    let experiment = comparison.experiment;
    let replicates: Vec<String> = experiment.replicates.iter().map(ToString::to_string).collect();
    let jobs = experiment.trace.as_ref().map_or_else(
        || "made by the generator from the recipe and its seed".to_owned(),
        |trace| format!("{} jobs, digest {}", trace.jobs.len(), digest::of_jobs(trace)),
    );
    let rows = [
        ("Program", format!("switchyard {}", env!("CARGO_PKG_VERSION"))),
        ("Workload", comparison.workloads()),
        ("Workloads", replicates.join(", ")),
        ("Jobs", jobs),
        ("Fleet", described(&experiment.fleet)),
        ("Time limits", comparison.args.input.limits.to_string()),
        ("Overrun", comparison.args.input.overrun.name().to_owned()),
    ];
    let rows: String =
        rows.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(text))).collect();
    let policies: String = comparison
        .cells
        .iter()
        .map(|cell| {
            let json = serde_json::to_string(&cell.policy).unwrap_or_default();
            format!(
                "<dt>{}</dt><dd>{} / {} / {}<details><summary>All parameters</summary><pre>{}</pre></details></dd>",
                escaped(&cell.policy.name),
                cell.policy.order.name(),
                cell.policy.discipline.name(),
                cell.policy.placement.name(),
                escaped(&json)
            )
        })
        .collect();
    let command = crate::command_line();
    format!(
        "<h2>The experiment</h2>\n<dl>{rows}</dl>\n<h2>The policies: order / discipline / placement</h2>\n<dl>{policies}</dl>\n\
         <h2>The same again</h2>\n<p>The simulation is deterministic: the same command gives the same figures.</p>\n<pre>{}</pre>",
        escaped(&command)
    )
}
