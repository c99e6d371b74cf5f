// Calls that are made by themselves: of a person, or of everybody.
import { request, notice, el, byId } from "./api.js";
import { fillPeople } from "./people.js";
import { editSchedule, formsOf, newSchedule } from "./scheduleform.js";
import { callWords, okWords, outcomeWords, pauseWords, scheduleAbout, scheduleWords } from "./schedulewords.js";
import { momentIn, zoneOf, zoneWords } from "./zone.js";

const ahead = 7, past = 14, day = 86400e3;
let shown = null; // what is on the page: answers for something else come too late

// showSchedules fills the page with the calls of a person, or of everybody.
export async function showSchedules(id) {
  const now = shown = { id, zones: new Map(), names: new Map(), people: [] };
  byId("schedules-title").textContent = "Schedules";
  byId("schedules-alerts").href = id ? `#/people/${id}/alerts` : "#/alerts";
  for (const part of ["schedules-zone", "schedules-ok", "schedules-told"]) byId(part).textContent = "";
  for (const part of ["coming-rows", "schedules-list", "pauses-list", "past-rows"]) byId(part).replaceChildren();
  byId("schedules-one").hidden = true; // until its forms are empty
  byId("schedules-section").classList.toggle("of-one", Boolean(id));
  byId("more-past").hidden = true;
  const all = await fillPeople(byId("schedules-person"), id);
  if (shown !== now) return;
  setPeople(now, id ? all.filter((p) => p.id === id) : all);
  byId("past-status").value = id ? "" : "failed";
  if (id) newSchedule();
  byId("schedules-one").hidden = !id;
  await load(now);
}

// setPeople says whose calls are on the page.
function setPeople(now, people) {
  now.people = people;
  for (const p of people) {
    now.zones.set(p.id, zoneOf(p));
    now.names.set(p.id, p.name);
  }
  if (!now.id) return;
  const [p] = people;
  now.zone = zoneOf(p);
  byId("schedules-title").textContent = `Schedules of ${p.name}`;
  byId("schedules-zone").textContent = zoneWords(now.zone);
  byId("schedules-ok").replaceChildren(...okWords(p, now.zone));
}

// load reads what may have changed.
async function load(now) {
  await Promise.all([loadComing(now).then(() => shown === now && loadSchedules(now)), now.id && loadPauses(now), loadPast(now)]);
}

// told says what came of a press; what was pressed may be gone.
function told(text) {
  byId("schedules-told").textContent = text;
  byId("schedules-told").focus();
}

formsOf({ current: () => shown, load, told });

const whom = (now, id, name) => el("a", { href: `#/people/${id}/schedules` }, name ?? now.names.get(id) ?? "somebody");

async function loadComing(now) {
  const query = new URLSearchParams({ days: ahead, ...(now.id && { userId: now.id }) });
  const { items } = await request("GET", `/api/v1/schedules/coming?${query}`);
  if (shown !== now) return;
  now.pausedIds = new Set(items.filter((c) => c.leftOut).map((c) => c.userId));
  byId("coming-rows").replaceChildren(...items.map((c) => el("tr", { class: c.leftOut ? "unasked" : null },
    el("th", { scope: "row" }, momentIn(c.due, zoneOf(c))),
    el("td", {}, whom(now, c.userId, c.person)),
    el("td", {}, callWords(c.callType), c.essential ? ", must not be missed" : "", c.leftOut ? el("div", {}, el("b", {}, "Left out: "), c.leftOut) : null))));
  none("coming-rows", items, `No call is planned for the next ${ahead} days.`);
}

const none = (id, items, text) => { if (!items.length) byId(id).replaceChildren(el("tr", {}, el("td", { colspan: 3, class: "hint" }, text))); };

async function loadSchedules(now) {
  if (now.id) {
    const { items } = await request("GET", `/api/v1/people/${encodeURIComponent(now.id)}/schedules`);
    if (shown !== now) return;
    byId("schedules-list").replaceChildren(...items.map((s) => scheduleItem(now, s)));
    if (!items.length) byId("schedules-list").append(el("li", { class: "hint" }, "There is no schedule: nAIber does not call by itself."));
    return;
  }
  const of = new Map();
  for (let cursor = ""; cursor !== undefined;) {
    const page = await request("GET", `/api/v1/schedules?${new URLSearchParams({ limit: 200, ...(cursor && { cursor }) })}`);
    if (shown !== now) return;
    for (const s of page.items) of.set(s.userId, [...(of.get(s.userId) ?? []), s]);
    cursor = page.nextCursor;
  }
  const pauses = new Map(await Promise.all([...now.pausedIds].map(async (id) => [id, (await request("GET", `/api/v1/people/${id}/pauses`)).items])));
  if (shown !== now) return;
  byId("schedules-list").replaceChildren(...now.people.map((p) => el("li", {}, el("div", { class: "what" },
    el("p", {}, whom(now, p.id)),
    el("div", { class: "hint" }, ...okWords(p, zoneOf(p))),
    ...(of.get(p.id) ?? []).map((s) => el("p", {}, scheduleWords(s), el("span", { class: "hint" }, ` · ${scheduleAbout(s, zoneOf(p))}`))),
    ...(pauses.get(p.id) ?? []).map((u) => el("p", {}, el("b", {}, `All calls are paused ${pauseWords(u, zoneOf(p))}`))),
    of.has(p.id) ? null : el("p", {}, "No schedule.")))));
}

function scheduleItem(now, s) {
  const press = (word, act) => el("button", { "aria-label": `${word}: ${scheduleWords(s)}`, class: word === "Delete" ? "danger" : null, onclick: () => act().catch(notice) }, word);
  const at = `/api/v1/schedules/${encodeURIComponent(s.id)}`;
  const change = async (method, path, words) => {
    await request(method, path);
    if (shown !== now) return;
    await load(now);
    told(words);
  };
  return el("li", {}, el("div", { class: "what" }, el("p", {}, scheduleWords(s)), el("div", { class: "hint" }, scheduleAbout(s, now.zone))),
    press("Edit", () => editSchedule(now, s.id)),
    s.paused ? press("Resume", () => change("POST", `${at}/resume`, "The schedule goes on.")) : press("Pause", () => change("POST", `${at}/pause`, "The schedule is paused until somebody resumes it.")),
    press("Delete", async () => {
      if (confirm(`Delete this schedule?\n\n${scheduleWords(s)}\n\nCalls to come are not made; what became of earlier ones stays on record.`)) await change("DELETE", at, "The schedule is deleted.");
    }));
}

async function loadPauses(now) {
  const base = `/api/v1/people/${encodeURIComponent(now.id)}/pauses`;
  const { items } = await request("GET", base);
  if (shown !== now) return;
  byId("pauses-list").replaceChildren(...items.map((p) => el("li", {}, el("div", { class: "what" }, el("p", {}, `All calls are paused ${pauseWords(p, now.zone)}`)),
    el("button", { "aria-label": `Lift the pause ${pauseWords(p, now.zone)}`, onclick: async () => {
      try {
        await request("DELETE", `${base}/${encodeURIComponent(p.id)}`);
        await load(now);
        told("The pause is lifted.");
      } catch (err) { notice(err); }
    } }, "Lift"))));
  if (!items.length) byId("pauses-list").append(el("li", { class: "hint" }, "Calls are not paused."));
}

// loadPast lists what became of calls, the latest first: of a person all at once, of
// everybody day by day, for there may be many.
async function loadPast(now) {
  const mine = now.past = {};
  byId("past-rows").replaceChildren();
  const began = Date.now();
  const wanted = byId("past-status").value;
  const step = async (from) => {
    const next = now.id ? past : from + 1;
    const rows = await occurrences(now, began - next * day, began - from * day);
    if (shown !== now || now.past !== mine) return;
    byId("past-rows").append(...rows.filter((o) => !wanted || o.status === wanted || wanted === "failed" && ["missed", "escalated"].includes(o.status)).map((o) => pastRow(now, o)));
    if (next < past && byId("past-rows").childElementCount < 50 * (now.pages ?? 1)) return step(next);
    byId("more-past").hidden = next >= past;
    byId("more-past").onclick = () => { byId("more-past").hidden = true; now.pages = (now.pages ?? 1) + 1; step(next).catch(notice); };
    if (next >= past) none("past-rows", [...byId("past-rows").children], wanted ? "There is none." : "No call was planned.");
  };
  await step(0);
}

// occurrences are those that were due between two moments, the latest first.
async function occurrences(now, from, to) {
  const all = [];
  for (let cursor = ""; cursor !== undefined;) {
    const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), limit: 200, ...(now.id && { userId: now.id }), ...(cursor && { cursor }) });
    const page = await request("GET", `/api/v1/occurrences?${query}`);
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all.reverse();
}

function pastRow(now, o) {
  const zone = now.zones.get(o.userId);
  const tries = o.callIds.map((id, i) => [" ", el("a", { href: `#/calls/${id}` }, `call ${i + 1}`)]).flat();
  return el("tr", {}, el("th", { scope: "row" }, momentIn(o.due, zone)), el("td", {}, whom(now, o.userId)),
    el("td", {}, el("b", { class: ["missed", "escalated"].includes(o.status) ? "bad" : null }, outcomeWords(o)), `, ${callWords(o.callType)}`,
      el("div", { class: "hint" }, o.why || "", ...tries, ...(o.status === "escalated" ? [" ", el("a", { href: `#/people/${o.userId}/alerts` }, "alerts")] : []))));
}

byId("schedules-person").onchange = (event) => {
  const id = event.target.value;
  location.hash = id ? `#/people/${id}/schedules` : "#/schedules";
};
byId("past-status").onchange = () => { if (shown) loadPast(shown).catch(notice); };
