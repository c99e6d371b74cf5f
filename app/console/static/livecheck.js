// A call's health check as it goes on: how far it is, what is asked now, and
// what was understood.
import { request, notice, el, byId } from "./api.js";
import { CheckState } from "./checkstate.js";
import { answerStatus, endWords, phaseWords, sourceWords, tryWords, valueWords } from "./words.js";

let check = new CheckState();
let callShown = null;
let asked = null; // what fetchKept was asked for: the check under way, or as it was written down

// clearCheck makes room for another call.
export function clearCheck(callId) {
  check = new CheckState();
  callShown = callId;
  asked = null;
  byId("check").hidden = true;
}

// tellCheck takes one event of the call's timeline.
export function tellCheck(event) {
  if (!check.take(event)) return;
  draw();
  const wanted = check.written ? "written" : "under way";
  if (!check.lacking || asked === wanted) return;
  asked = wanted;
  fetchKept().catch(notice);
}

// fetchKept asks for what the timeline does not tell.
async function fetchKept() {
  const mine = check;
  try {
    const { answers } = await request("GET", `/api/v1/calls/${encodeURIComponent(callShown)}/health-check`);
    if (mine !== check) return; // another call is on the page by now
    check.keep(answers ?? []);
    draw();
  } catch (err) {
    if (mine !== check) return;
    asked = null; // the next event asks again
    if (err.status !== 404) throw err; // it may not be there yet, or not any more
  }
}

function draw() {
  const { question, phase } = check.now;
  const { answered, of, carried } = check.count;
  byId("check").hidden = false;
  const bar = byId("check-bar");
  bar.max = Math.max(of, 1);
  bar.value = answered;
  byId("check-count").textContent = `${answered} of ${of} answered${carried ? `, ${carried} of them in an earlier call` : ""}`;
  byId("check-now").replaceChildren(...nowWords(phase, question));
  const rows = check.readings.map(row);
  byId("check-table").hidden = !rows.length;
  byId("check-rows").replaceChildren(...rows);
}

// nowWords says what goes on, or what was left open when the call ended.
function nowWords(phase, question) {
  const open = question ? [el("b", {}, question.short || question.id)] : [];
  if (check.over) return [overWords(question), ...open];
  const times = question?.attempt ? [` (${tryWords(question.attempt)})`] : [];
  return [phaseWords(phase), ...(open.length ? [": ", ...open, ...times] : [])];
}

function overWords(question) {
  const end = endWords(check.written?.status);
  return `The call is over.${end && ` ${end}`}${question && check.written?.status !== "completed" ? " Left open: " : ""}`;
}

function row(r) {
  return el("tr", { class: r.correction ? "corrected" : null },
    el("th", { scope: "row" }, r.short || r.questionId),
    el("td", {}, ...r.earlier.flatMap((e) => [el("del", { title: "taken back" }, e.status === "refused" ? answerStatus(e.status) : told(e)), " "]), told(r),
      r.correction ? el("span", { class: "hint" }, " corrected") : null),
    el("td", {}, answerStatus(r.status), r.carried ? el("div", { class: "hint" }, "in an earlier call") : null),
    el("td", { class: "sure" }, ...sure(r)),
    el("td", {}, sourceWords(r.source)));
}

// told is what a reading says. The timeline holds no words of the person, so
// that an answer in words is only known to have been given.
function told({ value, status }) {
  if (value !== null && value !== undefined) return valueWords(value);
  return status === "answered" ? "given" : "–";
}

// sure is the confidence of a reading, as a bar and in figures.
export function sure({ confidence, status }) {
  if (typeof confidence !== "number" || status === "not_reached") return ["–"];
  const percent = `${Math.round(confidence * 100)}\u00a0%`;
  return [el("meter", { min: 0, max: 1, low: 0.5, high: 0.8, optimum: 1, value: confidence, "aria-label": `confidence ${percent}` }), ` ${percent}`];
}
