// A person's health checks: the last ones with their answers, and how the
// answers have gone over time.
import { request, requestPage, notice, el, byId } from "./api.js";
import { showCharts } from "./charts.js";
import { sure } from "./livecheck.js";
import { point } from "./point.js";
import { callWords, okWords } from "./schedulewords.js";
import { momentIn, zoneOf, zoneWords } from "./zone.js";
import { answerStatus, answerWords, checkStatus, given, sourceWords, timeWords } from "./words.js";

const pageSize = 10;
let shown = null; // the id of the person on the page: answers for another one come too late

// showPerson fills the page with a person's checks and trends, and points at one of
// the answers or trends where that is asked for.
export async function showPerson(id, kind, at) {
  shown = id;
  const base = `/api/v1/people/${encodeURIComponent(id)}`;
  byId("person-title").textContent = "Health checks";
  byId("checks").replaceChildren(el("li", { class: "hint" }, "Loading…"));
  byId("person-zone").textContent = "";
  byId("more-checks").hidden = true;
  byId("opted-out").hidden = true;
  byId("person-care").replaceChildren();
  byId("csv").href = `${base}/health-checks/csv`;
  byId("fhir").href = `${base}/health-checks/fhir`;
  byId("period").onchange = null;
  const person = await request("GET", base);
  if (shown !== id) return;
  byId("person-title").textContent = `Health checks of ${person.name}`;
  const zone = zoneOf(person);
  byId("person-zone").textContent = zoneWords(zone);
  byId("checks").replaceChildren();
  showOptOut(id, base, person, zone);
  showCare(id, person, zone).catch(notice);
  byId("period").onchange = () => loadTrends(id, base, zone).catch(notice);
  await Promise.all([loadChecks(id, `${base}/health-checks?limit=${pageSize}`, zone), loadTrends(id, base, zone)]);
  if (shown !== id || !at?.length) return;
  const found = kind === "answers" ? await findAnswer(id, ...at) : findIn("trends", "figure", at[0]);
  if (shown !== id) return;
  if (found) point(found);
  else notice(new Error(kind === "answers" ? "This answer is not on record any more." : "There are too few answers in this period to show that trend."));
}

const findIn = (place, kind, key) => [...byId(place).querySelectorAll(kind)].find((e) => e.dataset.key === key);

// findAnswer unfolds the check that an answer belongs to, however long ago it was.
async function findAnswer(id, callId, question) {
  const more = byId("more-checks");
  let check;
  while (!(check = findIn("checks", "details", callId)) && shown === id && !more.hidden) await more.onclick();
  if (check) check.open = true;
  return [...check?.querySelectorAll("tr") ?? []].find((row) => row.dataset.key === question);
}

// showCare says how it stands with a person: open alerts, when they were last well, and
// when they are called next.
async function showCare(id, person, zone) {
  const [alerts, coming] = await Promise.all([request("GET", `/api/v1/alerts/standing?userId=${id}`), request("GET", `/api/v1/schedules/coming?days=31&userId=${id}`)]);
  if (shown !== id) return;
  const next = coming.items.find((c) => !c.leftOut);
  byId("person-care").replaceChildren(
    el("li", {}, el("a", { href: `#/people/${id}/alerts` }, "Alerts"), ": ", alerts.items.length ? el("b", { class: "bad" }, `${alerts.items.length} open`) : "none open"),
    el("li", {}, ...okWords(person, zone)),
    el("li", {}, el("a", { href: `#/people/${id}/schedules` }, "Next call"), ": ", next ? `${momentIn(next.due, zone)}, ${callWords(next.callType)}` : "none in the next month"));
}

// showOptOut says since when a person is not to be phoned, and takes that back.
function showOptOut(id, base, person, zone) {
  const form = byId("opted-out");
  form.hidden = !person.optedOutAt;
  byId("opted-out-words").textContent = person.optedOutAt ? `${person.name} has asked not to be phoned any more, on ${timeWords(person.optedOutAt, zone)}.` : "";
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      const now = await request("POST", `${base}/opt-in`, { by: byId("opt-in-by").value.trim() });
      byId("opt-in-by").value = "";
      if (shown === id) showOptOut(id, base, now, zone);
    } catch (err) {
      notice(err);
    }
  };
}

async function loadTrends(id, base, zone) {
  const days = Number(byId("period").value);
  const since = new Date(Date.now() - days * 86400e3).toISOString();
  const { items } = await request("GET", `${base}/trends?since=${encodeURIComponent(since)}`);
  if (shown !== id || Number(byId("period").value) !== days) return;
  showCharts(byId("trends"), (items ?? []).filter((t) => t.points?.length).map((t) => ({ ...t, zone })));
  if (!byId("trends").childElementCount) byId("trends").append(el("p", { class: "hint" }, "There are no answers yet that can be followed over time."));
}

async function loadChecks(id, address, zone) {
  const { data, next } = await requestPage(address);
  if (shown !== id) return;
  const list = byId("checks");
  const first = !list.childElementCount;
  list.append(...data.map((c, i) => checkItem(c, zone, first && i === 0)));
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, "There was no health check yet."));
  const more = byId("more-checks");
  more.hidden = !next;
  more.onclick = () => { more.hidden = true; return loadChecks(id, next, zone).catch(notice); };
}

function checkItem(check, zone, unfolded) {
  const answers = check.answers ?? [];
  const n = answers.filter((a) => a.status === "answered" || a.status === "keypad").length;
  return el("li", {}, el("details", { open: unfolded, "data-key": check.callId },
    el("summary", {}, el("b", {}, timeWords(check.startedAt, zone)), ` ${checkStatus(check)}, ${n} of ${answers.length} answered`),
    el("p", {}, el("a", { href: `#/calls/${check.callId}` }, "The call"),
      ...link(check.resumes, "goes on with an earlier one"), ...link(check.continuedBy, "gone on with later")),
    ...(check.scores ?? []).map(score),
    el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Answers" }, answerTable(answers, zone))));
}

const link = (callId, text) => (callId ? [" · ", el("a", { href: `#/calls/${callId}` }, text)] : []);

function score(s) {
  const missing = s.total === null || s.total === undefined;
  const sum = missing ? `no total, ${s.answered} of ${s.of} items answered` : `${s.total} of ${s.highest}${s.band ? `, ${s.band}` : ""}`;
  return el("p", { class: s.positive ? "score flagged" : "score" }, el("b", {}, `${s.title || s.pack}: `), sum, s.meaning ? `. ${s.meaning}` : "");
}

function answerTable(answers, zone) {
  const head = ["Question", "Answer", "Status", "In their words", "Confidence"].map((text) => el("th", { scope: "col" }, text));
  return el("table", { class: "plain" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...answers.map((a) => answerRow(a, zone))));
}

function answerRow(a, zone) {
  const from = [sourceWords(a.source), a.attempts > 1 ? `${a.attempts} tries` : null, a.carried ? "from the earlier call" : null].filter(Boolean).join(", ");
  return el("tr", { class: a.status === "not_reached" ? "unasked" : null, "data-key": a.questionId },
    el("th", { scope: "row", class: a.followUpOf ? "follow-up" : null, title: a.question }, a.short || a.question),
    el("td", {}, ...(a.earlier ?? []).flatMap((e) => [earlier(e, a.type, zone), " "]), answerWords(a)),
    el("td", {}, answerStatus(a.status), a.status !== "not_reached" && from ? el("div", { class: "hint" }, from) : null),
    el("td", {}, a.quote ? el("q", {}, a.quote) : "–"),
    el("td", { class: "sure" }, ...sure(a)));
}

// earlier is a reading that the person took back.
function earlier(e, type, zone) {
  const when = given(e.at) ? ` at ${timeWords(e.at, zone)}` : "";
  return el("del", { title: e.quote ? `said${when}: ${e.quote}` : `taken back${when}` }, e.value === null || e.value === undefined ? answerStatus(e.status) : answerWords({ ...e, type }));
}
