// A question's answers over time, as a chart and as a table. The drawing is
// uPlot's, which the page loads from /console/vendor/ (see its README.md).
import { el } from "./api.js";
import { dateWords, nameWords, timeWords, valueWords } from "./words.js";

const height = 170;
const dayIncrements = [1, 2, 7, 14, 28, 91, 182, 365].map((days) => days * 86400); // in seconds
const dayWords = (seconds, timeZone) => new Date(seconds * 1000).toLocaleDateString([], { day: "numeric", month: "short", timeZone });
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const flagged = (trend) => trend.latest?.status === "lower" || trend.latest?.status === "higher";

// showCharts fills a place of the page with one chart for each question. Times
// are those of the zone that each trend names.
export function showCharts(place, trends) {
  const cards = trends.map(chartCard);
  place.replaceChildren(...cards.map((c) => c.card));
  for (const { draw } of cards) draw?.();
}

// chartCard is one question: its points, what is usual, and what is said of the
// newest one. draw makes its chart once the card is on the page.
function chartCard(trend) {
  const plot = el("div", { class: "plot", role: "img", "aria-label": aboutChart(trend) });
  const under = el("p", { class: "under hint", "aria-hidden": "true" }, rangeWords(trend));
  const card = el("figure", { class: "trend", "data-key": trend.questionId },
    el("figcaption", {}, el("h4", {}, trend.short || trend.questionId), el("p", { class: "hint" }, trend.question)),
    plot, under,
    el("p", { class: flagged(trend) ? "flagged" : "" }, trend.latest?.words),
    drifting(trend) ? el("p", { class: "flagged" }, trend.drift.words) : null,
    trend.about ? el("p", { class: "hint" }, trend.about) : null,
    pointTable(trend));
  if (trend.points.length > 1) return { card, draw: () => drawn(plot, trend, under) };
  for (const e of [plot, under]) e.remove();
  return { card };
}

const drifting = (trend) => trend.drift?.status === "lower" || trend.drift?.status === "higher";

function aboutChart(trend) {
  const n = trend.points.length;
  return `${trend.short || trend.questionId}: ${n} ${trend.answers ?? "answers"} from ${dateWords(trend.points[0]?.at, trend.zone)} to ${dateWords(trend.points[n - 1]?.at, trend.zone)}. ${trend.latest?.words ?? ""}`;
}

const tenths = (value) => valueWords(Math.round(value * 10) / 10);

// rangeWords says what the shaded band is. Of yes and no it would be a share,
// which has no place on their axis.
function rangeWords(trend) {
  if (trend.range) return trend.range;
  const { usual, type, labels } = trend;
  if (!usual) return "";
  if (type === "boolean") return `From the last ${usual.n} answers.`;
  if (labels?.length) return `Shaded: usual; the line within is the middle (${nameWords(usual.median, trend)}) of ${usual.n} answers.`;
  return `Shaded: usual, ${tenths(usual.low)} to ${tenths(usual.high)}; the line within is the middle (${valueWords(usual.median)}, give or take ${tenths(usual.spread)}) of ${usual.n} answers.`;
}

function pointTable(trend) {
  const { points, type, unit, zone } = trend;
  const shown = (p) => nameWords(p.value, trend) + (unit && type === "number" ? ` ${unit}` : "");
  const heads = ["When", trend.answer ?? "Answer", ...(points.some(banded) ? ["Without change"] : [])];
  const cells = (p) => [timeWords(p.at, zone), shown(p), ...(heads.length > 2 ? [banded(p) ? bandWords(p) : "–"] : [])];
  return el("details", { class: "points" }, el("summary", {}, "As a table"),
    el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...points.toReversed().map((p) => el("tr", {}, ...cells(p).map((text) => el("td", {}, text)))))));
}

// A point may come with a band of its own.
const banded = (p) => p.high > p.low;
const bandWords = ({ low, high }) => `${tenths(low)} to ${tenths(high)}`;

// drawn makes the chart as soon as its place has a width, and fits it to that
// place from then on.
function drawn(plot, trend, under) {
  let chart = null;
  const fit = () => {
    const width = Math.floor(plot.clientWidth);
    if (!width) return;
    if (chart) chart.setSize({ width, height });
    else chart = new uPlot({ ...options(trend, under), width, height }, data(trend), plot);
  };
  fit();
  new ResizeObserver(() => chart?.width !== Math.floor(plot.clientWidth) && fit()).observe(plot);
}

const data = ({ points }) => [points.map((p) => new Date(p.at).getTime() / 1000), points.map((p) => p.value)];

function options(trend, under) {
  const yesNo = trend.type === "boolean";
  const named = yesNo || trend.labels?.length > 0;
  const soft = colour("--soft");
  const grid = { stroke: colour("--line"), width: 1 };
  const font = "12px system-ui, sans-serif";
  return {
    legend: { show: false },
    ...(trend.zone && { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), trend.zone) }), // days begin where the person lives
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: () => bounds(trend) } },
    axes: [
      { stroke: soft, grid: { show: false }, ticks: grid, font, size: 34, space: 70, incrs: dayIncrements, values: (_, seconds) => seconds.map((s) => dayWords(s, trend.zone)) },
      { stroke: soft, grid, ticks: { show: false }, font, size: axisWidth(trend), splits: marks(trend),
        values: named ? (_, values) => values.map((v) => lines(nameWords(v, trend))) : undefined },
    ],
    series: [{}, {
      stroke: colour("--brand"), width: yesNo ? 0 : 1.5,
      points: { show: true, size: 6, fill: colour("--brand"), stroke: colour("--brand") },
    }],
    hooks: {
      drawClear: [(u) => band(u, trend)],
      draw: [(u) => flagged(trend) && ring(u)],
      setCursor: [(u) => { under.textContent = pointWords(u, trend) ?? rangeWords(trend); }],
    },
  };
}

function pointWords(u, trend) {
  const p = trend.points[u.cursor.idx];
  return p && u.cursor.left >= 0 ? `${timeWords(p.at, trend.zone)}: ${nameWords(p.value, trend)}${banded(p) ? `; without change ${bandWords(p)}` : ""}` : null;
}

// axisWidth gives the names of choices the room that they take.
const longest = 24; // characters of a name in one line
const axisWidth = ({ labels }) => Math.max(38, ...(labels ?? []).map((l) => 12 + 6.3 * Math.min(l.label.length, longest)));

// lines breaks a long name in two, so that the chart keeps its width.
function lines(name) {
  if (name.length <= longest) return name;
  const spaces = [...name.matchAll(/ /g)].map((m) => m.index);
  if (!spaces.length) return name;
  const middle = spaces.reduce((a, b) => (Math.abs(b - name.length / 2) < Math.abs(a - name.length / 2) ? b : a));
  return `${name.slice(0, middle)}\n${name.slice(middle + 1)}`;
}

const bounded = ({ min, max }) => min != null && max != null && max > min;

// marks are the labelled values: the ends and the middle of a scale. uPlot
// finds them by itself where there are no ends.
function marks(trend) {
  if (trend.type === "boolean") return () => [0, 1];
  const { min, max, labels } = trend;
  if (labels?.length) return () => labels.map((l) => l.value);
  return bounded(trend) ? () => [...new Set([min, Math.round((min + max) / 2), max])] : undefined;
}

// bounds is the axis: what can be answered where that is known, otherwise what was.
function bounds(trend) {
  const { type, min, max, points, usual, labels } = trend;
  if (type === "boolean") return [-0.2, 1.2];
  if (labels?.length && bounded(trend)) return [min - (max - min) * 0.15, max + (max - min) * 0.1]; // room for names in two lines
  if (bounded(trend)) return [min - (max - min) * 0.06, max + (max - min) * 0.06];
  const all = points.flatMap((p) => (banded(p) ? [p.value, p.low, p.high] : [p.value])).concat(usual ? [usual.low, usual.high] : []);
  const low = Math.min(...all), high = Math.max(...all);
  const room = (high - low || 2) * 0.12;
  return [low - room, high + room];
}

// band shades what is usual, with a line in its middle, or what each point comes with.
function band(u, { usual, type, points }) {
  if (points.some(banded)) return bands(u, points.filter(banded));
  if (!usual || type === "boolean") return;
  const { left, width } = u.bbox;
  const y = (value) => u.valToPos(value, "y", true);
  u.ctx.save();
  u.ctx.fillStyle = colour("--brand-soft");
  u.ctx.fillRect(left, y(usual.high), width, y(usual.low) - y(usual.high));
  u.ctx.strokeStyle = colour("--soft");
  u.ctx.setLineDash([4, 4]);
  u.ctx.beginPath();
  u.ctx.moveTo(left, y(usual.median));
  u.ctx.lineTo(left + width, y(usual.median));
  u.ctx.stroke();
  u.ctx.restore();
}

// bands shades from point to point, and a little past the first and the last one.
function bands(u, points) {
  const room = 6 * devicePixelRatio;
  const at = (p, value) => [u.valToPos(new Date(p.at).getTime() / 1000, "x", true), u.valToPos(value, "y", true)];
  const edge = (side) => {
    const all = points.map((p) => at(p, p[side]));
    return [[all[0][0] - room, all[0][1]], ...all, [all.at(-1)[0] + room, all.at(-1)[1]]];
  };
  u.ctx.save();
  u.ctx.fillStyle = colour("--brand-soft");
  u.ctx.beginPath();
  for (const [x, y] of [...edge("high"), ...edge("low").toReversed()]) u.ctx.lineTo(x, y);
  u.ctx.fill();
  u.ctx.restore();
}

// ring marks the newest point, which is out of the usual.
function ring(u) {
  const last = u.data[0].length - 1;
  u.ctx.save();
  u.ctx.strokeStyle = colour("--warm");
  u.ctx.lineWidth = 3 * devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.arc(u.valToPos(u.data[0][last], "x", true), u.valToPos(u.data[1][last], "y", true), 8 * devicePixelRatio, 0, 2 * Math.PI);
  u.ctx.stroke();
  u.ctx.restore();
}
