// A person's cognitive checks: consent, how each measure has gone over time, and every
// task with the words that its score rests on, which a human can correct.
import { request, requestPage, notice, el, byId } from "./api.js";
import { showCharts } from "./charts.js";
import { changeWords, checkStatus, confounderWords, figure, itemWords, reasonWords, scoreWords, taskStatus } from "./cognitionwords.js";
import { sure } from "./livecheck.js";
import { point } from "./point.js";
import { dateWords, timeWords } from "./words.js";
import { zoneOf, zoneWords } from "./zone.js";

const pageSize = 10;
const account = document.documentElement.dataset.account;
let shown = null; // the person on the page: answers for another one come too late

// showCognition fills the page with a person's checks and trends, and points at the
// check of a call where that is asked for.
export async function showCognition(id, callId) {
  const base = `/api/v1/people/${encodeURIComponent(id)}`;
  const now = shown = { base };
  byId("cognition-title").textContent = "Cognitive checks";
  byId("cognition-zone").textContent = "";
  byId("cognition-report").href = `/people/${encodeURIComponent(id)}/cognitive-report`;
  byId("cognition-fhir").href = `${base}/cognitive-checks/fhir`;
  byId("cognition-checks").replaceChildren(el("li", { class: "hint" }, "Loading…"));
  byId("cognition-trends").replaceChildren();
  for (const part of ["cognition-consent", "cognition-asked", "cognition-born", "more-cognition"]) byId(part).hidden = true;
  const person = await request("GET", base);
  if (shown !== now) return;
  Object.assign(now, { person, zone: zoneOf(person) });
  byId("cognition-title").textContent = `Cognitive checks of ${person.name}`;
  byId("cognition-zone").textContent = zoneWords(now.zone);
  byId("cognition-checks").replaceChildren();
  showBorn(now);
  await Promise.all([loadConsent(now), loadTrends(now), loadChecks(now, `${base}/cognitive-checks?limit=${pageSize}`)]);
  if (shown === now && callId) await pointAt(now, callId);
}

// pointAt unfolds the check of a call, however long ago it was.
async function pointAt(now, callId) {
  const more = byId("more-cognition");
  let check;
  while (!(check = [...byId("cognition-checks").querySelectorAll("details.check-of")].find((e) => e.dataset.key === callId)) && shown === now && !more.hidden) await more.onclick();
  if (shown !== now) return;
  if (!check) return notice(new Error("This check is not on record any more."));
  check.open = true;
  point(check);
}

// loadConsent shows who agreed to the checks, or asks for it.
async function loadConsent(now) {
  const { items } = await request("GET", `${now.base}/consents`);
  if (shown !== now) return;
  const given = (items ?? []).findLast((c) => c.scope === "cognitive" && !c.revokedAt);
  byId("cognition-consent").hidden = !given;
  byId("cognition-asked").hidden = Boolean(given);
  const { name } = now.person;
  byId("cognition-consent-words").textContent = given ? `${given.givenBy} agreed to cognitive checks on ${dateWords(given.givenAt, now.zone)} (${given.how}).` : "";
  byId("cognition-asked-words").textContent = given ? "" : `There is no consent to cognitive checks of ${name}, so no call of this kind is placed. `
    + `Explain to ${name} what the check is and that it can be stopped at any time, ask whether that is all right, and record the answer here. What was kept earlier stays below.`;
}

function showBorn(now) {
  byId("cognition-born").hidden = false;
  byId("born").value = now.person.birthDate ?? "";
}

// onSubmit does what a form is for, once at a time.
function onSubmit(form, act) {
  form.onsubmit = async (event) => {
    event.preventDefault();
    const now = shown;
    const button = form.querySelector("button");
    if (!now?.person || button.disabled) return;
    button.disabled = true;
    try {
      await act(now);
    } catch (err) {
      notice(err);
    } finally {
      button.disabled = false;
    }
  };
}

onSubmit(byId("cognition-asked"), async (now) => {
  await request("POST", `${now.base}/consents`, { scope: "cognitive", givenBy: byId("cognition-given-by").value.trim(), how: byId("cognition-how").value.trim() });
  byId("cognition-given-by").value = byId("cognition-how").value = "";
  if (shown === now) await loadConsent(now);
});
onSubmit(byId("cognition-consent"), async (now) => {
  if (!confirm(`Take back the consent to cognitive checks of ${now.person.name}? No such call is placed from then on.`)) return;
  await request("DELETE", `${now.base}/consents/cognitive?${new URLSearchParams({ by: account, how: "in the console" })}`);
  if (shown === now) await loadConsent(now);
});
onSubmit(byId("cognition-born"), async (now) => {
  const person = await request("PATCH", now.base, { birthDate: byId("born").value || null });
  if (shown !== now) return;
  now.person = person;
  showBorn(now);
  byId("born-told").textContent = person.birthDate ? "Kept." : "Removed.";
});
byId("born").addEventListener("input", () => { byId("born-told").textContent = ""; });

async function loadTrends(now) {
  const trends = await request("GET", `${now.base}/cognitive-trends`);
  if (shown !== now) return;
  showCharts(byId("cognition-trends"), (trends ?? []).filter((t) => t.points?.length).map((t) => charted(t, now.zone)));
  if (!byId("cognition-trends").childElementCount) byId("cognition-trends").append(el("p", { class: "hint" }, "There is nothing yet that can be followed over time."));
}

// charted is a measure as a chart takes it.
function charted(t, zone) {
  const { n, baseline, confidence, reliableChangeIndex: index } = t;
  const about = t.change === "too_early" ? [] : [`confidence ${Math.round((confidence ?? 0) * 100)}\u00a0%`]; // of a verdict
  if (index !== null && index !== undefined) about.unshift(`reliable-change index ${figure(index)}`);
  const banded = t.points.some(hasBand);
  return {
    questionId: t.measure, short: t.title || t.measure, question: [t.domain, n === 1 ? "one check" : `${n} checks`, together(t) ? "0 is where it began, 1 the usual variation of one score" : null].filter(Boolean).join(", "),
    type: "number", answers: "scores", answer: "Score", zone, about: about.join(", "),
    latest: { status: t.change === "decline" ? "lower" : "usual", words: `${changeWords(t.change)}.` },
    range: banded ? `Shaded: where a score would lie without change. It starts from this person’s own first checks (${figure(baseline.mean)}, give or take ${figure(baseline.sd)}).` : "",
    points: t.points.map((p) => ({ at: p.at, value: p.raw, ...(hasBand(p) && { low: p.low, high: p.high }) })),
  };
}

const together = ({ measure }) => measure === "overall" || measure.startsWith("domain:"); // several measures, in a unit of their own
const hasBand = ({ low, high }) => high > low; // both are 0 before there is a baseline

async function loadChecks(now, address) {
  const { data, next } = await requestPage(address);
  if (shown !== now) return;
  const list = byId("cognition-checks");
  const first = !list.childElementCount;
  list.append(...data.map((c, i) => checkItem(now, c, first && i === 0)));
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, "There was no cognitive check yet."));
  const more = byId("more-cognition");
  more.hidden = !next;
  more.onclick = () => { more.hidden = true; return loadChecks(now, next).catch(notice); };
}

function checkItem(now, check, unfolded) {
  const tasks = check.tasks ?? [], disturbed = check.confounders ?? [];
  const done = tasks.filter((t) => t.status === "complete").length;
  return el("li", {}, el("details", { class: "check-of", open: unfolded, "data-key": check.callId },
    el("summary", {}, el("b", {}, timeWords(check.startedAt, now.zone)), ` ${checkStatus(check.status)}${tasks.length ? `, ${done} of ${tasks.length} tasks` : ""}`),
    el("p", {}, el("a", { href: `#/calls/${check.callId}` }, "The call")),
    disturbed.length ? el("div", { class: "disturbed" }, el("b", {}, tasks.length ? "What may have disturbed it" : "What was in the way"), el("ul", {}, ...disturbed.map((c) => el("li", {}, confounderWords(c.kind), ...quoted(c.quote))))) : null,
    el("ul", { class: "tasks" }, ...tasks.map((t) => taskItem(now, check, t)))));
}

const quoted = (quote) => (quote ? [": ", el("q", {}, quote)] : []);

// taskItem is one task: its score, what it rests on, and a form to correct it.
function taskItem(now, check, t) {
  const { correction } = t;
  const score = correction ? correction.raw : t.raw;
  const about = [taskStatus(t), t.seconds ? `${Math.round(t.seconds)} s` : null, t.form ? `form ${t.form}` : null].filter(Boolean).join(", ");
  const item = el("li", { class: t.status === "complete" || t.status === "partial" ? null : "untold", "data-key": t.taskId, tabindex: -1 },
    el("div", { class: "row" }, el("h4", { class: "grow" }, t.title || itemWords(t.taskId)), el("b", { class: "got" }, scoreWords(score, t.max))),
    correction ? el("p", { class: "correction" }, `By the rules ${scoreWords(t.raw, t.max)}; corrected to ${scoreWords(correction.raw, t.max)} by ${correction.by}, ${timeWords(correction.at, now.zone)}`, correction.note ? `: ${correction.note}` : ".") : null,
    el("p", { class: "hint" }, about, ...(score === null || score === undefined ? [] : [", confidence: ", ...sure(t)])),
    t.evidence?.length ? evidence(t) : null);
  if (t.raw !== null && t.raw !== undefined) item.append(correctionForm(now, check, t, (task) => {
    const after = taskItem(now, check, task);
    item.replaceWith(after);
    after.focus({ preventScroll: true }); // what was pressed is gone
  }));
  return item;
}

function evidence(t) {
  const head = ["Asked", "In their words", "Counts"].map((text) => el("th", { scope: "col" }, text));
  const rows = t.evidence.map((e) => el("tr", { class: e.counts ? null : "unasked" },
    el("td", {}, itemWords(e.item)), el("td", {}, e.quote ? el("q", {}, e.quote) : "(words that may not be kept)"), el("td", {}, (e.counts ? "yes" : "no") + (e.why ? `, ${reasonWords(e.why)}` : ""))));
  return el("details", {}, el("summary", {}, "What it rests on"),
    el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": `What was said: ${t.title}` },
      el("table", { class: "plain" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))));
}

function correctionForm(now, check, t, corrected) {
  const raw = el("input", { type: "number", required: true, min: 0, max: t.max || null, step: 1, value: t.correction?.raw ?? t.raw, inputmode: "numeric" });
  const by = el("input", { required: true, maxlength: 200, autocomplete: "name", value: account });
  const note = el("input", { maxlength: 500, autocomplete: "off" });
  const form = el("form", { class: "fields" }, el("label", {}, `Points${t.max ? ` of ${t.max}` : ""} `, raw), el("label", {}, "Who corrects ", by),
    el("label", { class: "wide-field" }, "Why ", note), el("button", { "aria-label": `Keep the correction of ${t.title}` }, "Keep"));
  onSubmit(form, async () => {
    const path = `/api/v1/calls/${encodeURIComponent(check.callId)}/cognitive-check/tasks/${encodeURIComponent(t.taskId)}/correction`;
    const task = await request("POST", path, { raw: Number(raw.value), by: by.value.trim(), note: note.value.trim() });
    if (shown !== now) return;
    corrected(task);
    await loadTrends(now);
  });
  return el("details", {}, el("summary", {}, "Correct the score"), form);
}
