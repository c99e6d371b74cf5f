// One call as it happens: its events come as a stream, oldest first.
import { request, notice, el, byId } from "./api.js";
import { clearCheck, tellCheck } from "./livecheck.js";
import { clearTasks, tellTasks } from "./livetasks.js";
import { point } from "./point.js";

let source = null;
let callShown = null;
let sought = null; // the line that was asked for, with its item in the list

const words = {
  queued: () => "asked for",
  dialled: () => "dialled",
  initiated: () => null,
  ringing: () => "ringing",
  answered: () => "answered",
  amd: (d) => `answered by ${String(d.answeredBy).replaceAll("_", " ")}`,
  stream_started: (d) => (d.reconnect ? "the line is back" : "the line is open"),
  conversation_started: () => null,
  first_word: (d) => `first word after ${d.ms} ms`,
  turn: turnWords,
  interrupted: (d, n) => `${n} interrupts`,
  keypad: (d) => `keypad: ${d.digits}`,
  silence: () => "silence",
  danger: (d, n) => `${n} tells of danger (${String(d.kind).replaceAll("_", " ")}): nAIber cannot call for help, and says so. Ring them, or send somebody`,
  connected: (d, n) => `${d.to} talks with ${n}; nAIber does not listen`,
  danger_over: (d, n) => `${n} says to be all right`,
  reconnecting: (d) => `the line broke (${String(d.cause).replaceAll("_", " ")}); picking it up again`,
  voicemail: () => "a machine answered; a short message was left",
  goodbye: () => "saying goodbye",
  ended: (d) => `ended: ${String(d.outcome).replaceAll("_", " ")}, because ${String(d.cause).replaceAll("_", " ")} (${d.by})`,
  revoked: () => "the call was not wanted any more, and was cancelled",
  post_call_scheduled: () => "the work after the call is due",
  post_call_started: (d) => (d.attempt > 1 ? `work after the call, try ${d.attempt}` : "work after the call"),
  summary: () => "the summary is there",
  topics: () => "the topics are there",
  health_check: () => "the health check is written down",
  cognitive_check: () => "the cognitive check is written down",
  post_call_done: (d) => `work after the call done in ${d.ms} ms`,
  post_call_failed: (d) => `work after the call failed: ${d.error}${d.final ? " (gave up; it can be retried under Jobs)" : ""}`,
};
const miles = new Set(["dialled", "answered", "first_word", "ended", "post_call_done", "reconnecting", "danger_over", "connected"]);
const bad = new Set(["post_call_failed", "danger"]);
const minor = new Set(["turn", "queued", "stream_started", "post_call_started", "post_call_scheduled", "summary", "topics", "health_check", "cognitive_check"]);

function turnWords(d) {
  const ms = d.ttftMs == null ? "–" : Math.round(d.ttftMs * 10) / 10;
  let text = `turn ${d.place}: ${d.outcome}, first token after ${ms} ms`;
  if (d.attempt > 1) text += `, attempt ${d.attempt}`;
  if (d.filler) text += ", with a filler";
  return text;
}

// followed is the call on the page, if any.
export const followed = () => callShown;

// lineOf is a line of a transcript by its number, from 1 on, with how many before it
// have the same words; null where it has none.
export function lineOf(transcript, number) {
  const line = transcript[number - 1];
  if (!line?.text) return null;
  return { ...line, before: transcript.slice(0, number - 1).filter((l) => l.role === line.role && l.text === line.text).length };
}

// follow shows the call, and calls changed when it was answered or has ended. It
// points at a line, if one is given.
export function follow(callId, name, changed, line) {
  source?.close();
  callShown = callId;
  byId("call-hint").hidden = true;
  byId("call").hidden = false;
  showSummary("");
  showTopics([]);
  byId("events").replaceChildren();
  clearCheck(callId);
  clearTasks();
  byId("call-title").textContent = `The call with ${name}`;
  state("under way", true);
  byId("end").onclick = () => request("POST", `/api/v1/calls/${callId}/hangup`).catch(notice);
  seek(line, name);

  let began = null;
  source = new EventSource(`/api/v1/calls/${callId}/events`);
  const show = (e) => {
    const event = JSON.parse(e.data);
    const at = new Date(event.at);
    began ??= at;
    add(event, name, Math.max(0, at - began) / 1000);
    tellCheck(event);
    tellTasks(event);
    if (event.kind === "ended") state("ended", false);
    if (["ended", "answered", "danger", "danger_over"].includes(event.kind)) changed?.();
  };
  const mine = source;
  source.onerror = () => {
    if (mine === source && mine.readyState === EventSource.CLOSED) notice(new Error("The timeline has stopped. Load the page again."));
  };
  for (const kind of [...Object.keys(words), "heard"]) source.addEventListener(kind, show);
}

function state(text, live) {
  byId("call-state").textContent = text;
  byId("call-state").className = "state " + (live ? "ok" : "");
  byId("end").hidden = !live;
}

// What there is none of has no heading either.
function showSummary(text) {
  byId("summary-part").hidden = !text;
  byId("summary").textContent = text ?? "";
}

function showTopics(topics) {
  byId("topics-part").hidden = !topics?.length;
  byId("topics").replaceChildren(...(topics ?? []).map((t) => el("span", {}, t.label || t)));
}

// seek puts a line of the transcript into the list before the timeline has come,
// which may not tell of it. Its own event takes its place.
function seek(line, name) {
  sought = line ? { ...line, item: el("li", { "data-at": line.at }, el("time"), heardWords(line, name)) } : null;
  if (!sought) return;
  byId("events").append(sought.item);
  point(sought.item);
}

// isSought reports whether an event is that of the line that is sought.
function isSought({ kind, data }) {
  return kind === "heard" && sought && !sought.found && data.role === sought.role && data.text === sought.text && sought.before-- === 0;
}

function heardWords({ role, text, corrected }, name) {
  const who = role === "assistant" ? "nAIber" : name;
  return el("span", {}, el("b", {}, corrected ? `${who}, cut short: ` : `${who}: `), text ?? "(words that may not be kept)");
}

for (const moved of ["wheel", "pointerdown", "keydown"]) { // from then on the reader decides what is in view
  addEventListener(moved, () => { if (sought) sought.left = true; }, { passive: true });
}

function add(event, name, seconds) {
  const d = event.data || {};
  if (event.kind === "summary") showSummary(d.text);
  if (event.kind === "topics") showTopics(d.topics);
  let body;
  if (event.kind === "heard") {
    if (/^\[keypad: /.test(d.text)) return; // told by its own line
    body = heardWords(d, name);
  } else {
    const text = words[event.kind]?.(d, name);
    if (!text) return;
    body = el("span", {}, text);
  }
  const kind = bad.has(event.kind) ? "bad" : miles.has(event.kind) ? "mile" : minor.has(event.kind) ? "minor" : "";
  const list = byId("events");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const item = el("li", { class: kind, "data-at": event.at }, el("time", {}, `${seconds.toFixed(1)} s`), body);
  const found = isSought(event);
  if (found) sought.item.remove();
  // An event may be written after a later one: what was said is dated when it was said.
  const before = [...list.children].findLast((other) => new Date(other.dataset.at) <= new Date(event.at));
  if (before) before.after(item); else list.prepend(item);
  if (found) {
    Object.assign(sought, { item, found });
    point(item);
  } else if (sought && !sought.left) sought.item.scrollIntoView({ block: "center" });
  else if (atEnd) list.scrollTop = list.scrollHeight;
}
