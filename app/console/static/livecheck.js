// A call's health check as it goes on: how far it is, what is asked now, and
// what was understood.
import { el, byId } from "./api.js";
import { CheckState } from "./checkstate.js";
import { answerStatus, phaseWords, sourceWords, tryWords, valueWords } from "./words.js";

let check = new CheckState();

// clearCheck makes room for another call.
export function clearCheck() {
  check = new CheckState();
  byId("check").hidden = true;
}

// tellCheck takes one event of the call's timeline.
export function tellCheck(event) {
  if (check.take(event)) draw();
}

function draw() {
  const { question, answered = 0, of = 0, phase } = check.now;
  byId("check").hidden = false;
  const bar = byId("check-bar");
  bar.max = Math.max(of, 1);
  bar.value = answered;
  byId("check-count").textContent = `${answered} of ${of} done`;
  byId("check-now").replaceChildren(...nowWords(phase, question));
  byId("check-table").hidden = !check.readings.length;
  byId("check-rows").replaceChildren(...check.readings.map(row));
}

// nowWords says what goes on, or what was left open when the call ended.
function nowWords(phase, question) {
  const open = question ? [el("b", {}, question.short || question.id)] : [];
  if (check.over) return question ? ["The call is over. Left open: ", ...open] : ["The call is over."];
  const times = question?.attempt ? [` (${tryWords(question.attempt)})`] : [];
  return [phaseWords(phase), ...(open.length ? [": ", ...open, ...times] : [])];
}

function row(r) {
  return el("tr", { class: r.correction ? "corrected" : null },
    el("th", { scope: "row" }, r.short || r.questionId),
    el("td", {}, ...r.earlier.flatMap((e) => [el("del", { title: "taken back" }, e.status === "refused" ? answerStatus(e.status) : told(e)), " "]), told(r),
      r.correction ? el("span", { class: "hint" }, " corrected") : null),
    el("td", {}, answerStatus(r.status)),
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
