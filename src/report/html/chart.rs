//! A chart as bars in SVG. Names and figures are text beside them, so that they stay readable
//! where the picture is narrow.

use maud::{Markup, html};

use crate::figures::milliseconds;
use crate::report::doc::{Bar, Chart};

/// Units that the longest bar takes.
const WIDTH: f64 = 1000.0;

/// The classes of the parts in the style sheet.
const COLORS: usize = 12;

pub(super) fn render(chart: &Chart) -> Markup {
    let sums = chart.bars.iter().flat_map(|bar| {
        let mean = bar.values.iter().flatten().sum::<f64>();
        bar.samples.iter().map(|sample| sample.iter().sum::<f64>()).chain([mean])
    });
    let longest = sums.fold(0.0, f64::max);
    html! {
        figure {
            figcaption { (chart.title) ", in " (chart.unit) }
            @if chart.bars.iter().any(|bar| !bar.samples.is_empty()) {
                p { "The thick bar is the mean, each thin line below it is one launch." }
            }
            div.key {
                @for (index, part) in chart.parts.iter().enumerate() {
                    span { i class={ "p" (index % COLORS) } {} (part.trim()) }
                }
            }
            @for one in chart.bars.iter().filter(|bar| bar.values.iter().any(Option::is_some)) {
                div.bar { (one.name) " " (one.title) (drawn(one, chart, longest)) }
            }
            div.axis aria-hidden="true" {
                @for (x, value) in ticks(longest) {
                    span class=[(x > 96.0).then_some("end")] style={ "left:" (x) "%" } { (value) }
                }
            }
        }
    }
}

/// The mean as a thick bar, and each sample as a thin line below it.
fn drawn(bar: &Bar, chart: &Chart, longest: f64) -> Markup {
    let means: Vec<f64> = bar.values.iter().map(|value| value.unwrap_or(0.0)).collect();
    let height = 34 + 4 * bar.samples.len();
    let says = |(part, value): (&String, &f64)| format!("{} {}", part.trim(), milliseconds(*value));
    let says: Vec<String> = chart.parts.iter().zip(&means).map(says).collect();
    let label = format!("{}: {} {}", bar.name, says.join(", "), chart.unit);
    html! {
        svg viewBox={ "0 0 1000 " (height) } height=(height) preserveAspectRatio="none" role="img"
            aria-label=(label) {
            @for (index, (x, width)) in stacked(&means, longest) {
                rect class={ "p" (index % COLORS) } x=(x) y="2" width=(width) height="28" {
                    title { (says[index]) " " (chart.unit) }
                }
            }
            @for (number, sample) in bar.samples.iter().enumerate() {
                @for (index, (x, width)) in stacked(sample, longest) {
                    rect class={ "p" (index % COLORS) } x=(x) y=(33 + 4 * number) width=(width)
                        height="3" {}
                }
            }
        }
    }
}

/// From where to where each part goes; those that have no width are left out.
fn stacked(values: &[f64], longest: f64) -> impl Iterator<Item = (usize, (f64, f64))> {
    let scaled = move |value: f64| (value / longest * WIDTH * 100.0).round() / 100.0;
    let mut from = 0.0;
    let parts = values.iter().enumerate().map(move |(index, value)| {
        let x = scaled(from);
        from += value;
        (index, (x, scaled(*value)))
    });
    parts.filter(|(_, (_, width))| *width > 0.0)
}

/// Two to ten round numbers with their place in per cent.
fn ticks(longest: f64) -> Vec<(f64, f64)> {
    if longest <= 0.0 {
        return Vec::new();
    }
    let power = 10_f64.powf(longest.log10().floor());
    let steps = [power, power / 2.0, power / 5.0];
    let step = steps.into_iter().find(|step| longest / step >= 4.0).unwrap_or(power / 5.0);
    let all = (0..=(longest / step) as u32).map(|tick| f64::from(tick) * step);
    all.map(|value| ((value / longest * 1e4).round() / 100.0, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_behind_each_other_and_ticks_are_round() {
        let parts: Vec<_> = stacked(&[10.0, 0.0, 30.0], 40.0).collect();
        assert_eq!(parts, [(0, (0.0, 250.0)), (2, (250.0, 750.0))]);
        assert_eq!(ticks(200.0).last(), Some(&(100.0, 200.0)));
        assert!(ticks(11_313.0).len() <= 11);
        assert_eq!(ticks(0.0), []);
    }
}
