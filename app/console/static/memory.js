// What is remembered of a person, for reading, searching and forgetting.
import { request, notice, el, byId } from "./api.js";
import { askFact, askTurn, factWords, forgottenWords, promiseWords, ruleWords } from "./memorywords.js";
import { sure } from "./livecheck.js";
import { point } from "./point.js";
import { dateWords, timeWords } from "./words.js";
import { zoneOf, zoneWords } from "./zone.js";

const pageSize = 20;
let shown = { base: "", person: null }; // the person on the page: answers for another one come too late
let asked = 0; // the newest search: answers to an earlier one come too late

// current is whose memory is on the page; its person is null until it is known.
export const current = () => shown;

// showMemory fills the page with what is remembered of a person, and points at one
// fact where that is asked for.
export async function showMemory(id, fact) {
  const now = { base: `/api/v1/people/${encodeURIComponent(id)}`, person: null };
  shown = now;
  clear();
  byId("memory-export").href = `${now.base}/memory/export`;
  const person = await request("GET", now.base);
  if (shown !== now) return;
  now.person = person;
  now.zone = zoneOf(person);
  byId("memory-title").textContent = `Memory of ${person.name}`;
  byId("memory-zone").textContent = zoneWords(now.zone);
  byId("forget-name").textContent = person.name;
  await load(now);
  if (!fact) return;
  const list = byId("memory-facts"), next = byId("more-facts");
  let found;
  while (!(found = [...list.children].find((li) => li.dataset.key === fact)) && shown === now && !next.hidden) await next.onclick();
  if (shown !== now) return;
  if (found) point(found);
  else notice(new Error("This is not remembered any more."));
}

function clear() {
  byId("memory-title").textContent = "Memory";
  for (const id of ["memory-told", "memory-zone", "forget-name"]) byId(id).textContent = "";
  for (const id of ["memory-q", "limit-topic", "limit-until", "limit-by", "forget-topic", "forget-day", "forget-all"]) byId(id).value = "";
  for (const id of ["memory-turns", "memory-facts", "memory-promises", "memory-limits"]) byId(id).replaceChildren();
  for (const id of ["memory-state", "memory-how", "more-turns", "more-facts"]) byId(id).hidden = true;
  byId("forget-all-button").disabled = true;
}

// load reads everything anew: what is forgotten in one place goes from others too.
async function load(now) {
  const limits = loadLimits(now);
  limits.catch(() => {}); // told below, after the rest
  try {
    await Promise.all([loadTurns(now), loadFacts(now), loadPromises(now)]);
    if (shown === now) allowed(true);
  } catch (err) {
    if (err.status !== 403) throw err;
    if (shown === now) allowed(false);
  }
  await limits;
}

// allowed tells where a person does not let anything be remembered. What was kept
// earlier can still be taken along and forgotten.
function allowed(yes) {
  byId("memory-kept").hidden = !yes;
  const state = byId("memory-state");
  state.hidden = yes;
  state.textContent = yes ? "" : `${shown.person.name} has not agreed to being remembered, or has taken it back. So nothing is kept or shown here. `
    + "Once a consent to being remembered is recorded, it appears. What is still there from earlier can be downloaded and forgotten.";
}

// loadTurns reads what the search box asks for, or the newest.
export async function loadTurns(now, cursor) {
  const q = byId("memory-q").value.trim();
  const mine = ++asked;
  const query = new URLSearchParams({ limit: pageSize, ...(q && { q }), ...(cursor && { cursor }) });
  const { items, nextCursor, degraded } = await request("GET", `${now.base}/memories?${query}`);
  if (shown !== now || mine !== asked) return;
  byId("memory-how").hidden = !q;
  const words = degraded?.length ? "The best first. Only words were searched, not meanings: that part does not answer just now." : "The best first.";
  byId("memory-how").textContent = q ? words : "";
  fill(byId("memory-turns"), (items ?? []).map((m) => turnItem(now, m)), cursor, q ? "Nothing like that was said." : "Nothing is remembered yet.");
  more("more-turns", nextCursor, (next) => loadTurns(now, next));
}

async function loadFacts(now, cursor) {
  const query = new URLSearchParams({ limit: pageSize, ...(cursor && { cursor }) });
  const { items, nextCursor } = await request("GET", `${now.base}/facts?${query}`);
  if (shown !== now) return;
  fill(byId("memory-facts"), (items ?? []).map((f) => factItem(now, f)), cursor, "Nothing was learned yet.");
  more("more-facts", nextCursor, (next) => loadFacts(now, next));
}

async function loadPromises(now) {
  const { items } = await request("GET", `${now.base}/promises`);
  if (shown !== now) return;
  fill(byId("memory-promises"), (items ?? []).map((p) => kept(p.text, promiseWords(p, now.zone),
    button("Drop", p.text, () => gone(now, "DELETE", `promises/${encodeURIComponent(p.id)}`, { done: "The promise is dropped." })))), null, "Nothing was promised.");
}

// loadLimits reads what is not to be kept or brought up.
export async function loadLimits(now) {
  const { items } = await request("GET", `${now.base}/limits`);
  if (shown !== now) return;
  fill(byId("memory-limits"), (items ?? []).map((l) => kept(l.topic, `${ruleWords(l, now.zone)}, as ${l.by} wishes, since ${dateWords(l.createdAt, now.zone)}`,
    button("Lift", l.topic, () => gone(now, "DELETE", `limits/${encodeURIComponent(l.id)}`, { done: "The limit is lifted." })))), null, "There are none.");
}

// fill puts items into a list, after those there where it goes on at a cursor.
function fill(list, items, cursor, none) {
  if (!cursor) list.replaceChildren();
  list.append(...items);
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, none));
}

function more(id, next, loadNext) {
  const button = byId(id);
  button.hidden = !next;
  button.onclick = () => { button.hidden = true; return loadNext(next).catch(notice); };
}

function turnItem(now, m) {
  const who = m.speaker === "assistant" ? "nAIber" : m.name || now.person.preferredName || now.person.name;
  const call = m.callId ? [" · ", el("a", { href: `#/calls/${encodeURIComponent(m.callId)}` }, "The call")] : [];
  return kept(m.text, [`${who}, ${timeWords(m.at, now.zone)}`, ...call], forgetButton(now, m.text, askTurn, `memories/${encodeURIComponent(m.id)}`));
}

function factItem(now, f) {
  const item = kept(f.text, [factWords(f, now.zone), " · sure: ", ...sure(f)], forgetButton(now, f.text, askFact, `facts/${encodeURIComponent(f.id)}`));
  item.dataset.key = f.id;
  if (f.validTo || f.closedAt) item.classList.add("over");
  return item;
}

function kept(text, about, action) {
  return el("li", {}, el("div", { class: "what" }, el("p", {}, text), el("div", { class: "hint" }, ...[about].flat())), action);
}

// forgetButton asks first: what is forgotten does not come back.
const forgetButton = (now, text, ask, path) => button("Forget", text, async () => {
  if (confirm(ask(text))) await gone(now, "DELETE", path, { done: "That is forgotten." });
});

function button(word, what, act) {
  const b = el("button", { class: "danger", "aria-label": `${word}: ${what.slice(0, 80)}` }, word);
  b.addEventListener("click", () => { b.disabled = true; act().catch(notice).finally(() => { b.disabled = false; }); });
  return b;
}

// gone has something forgotten, and shows what is left.
export async function gone(now, method, path, { body, done }) {
  const answer = await request(method, `${now.base}/${path}`, body);
  if (shown !== now) return;
  tell(answer?.turns === undefined ? done : forgottenWords(answer, body?.day));
  await load(now);
}

// tell says what came of a press. The page is long, and what was pressed may be
// gone: so the words take the focus, and stay in view until it leaves them.
function tell(text) {
  const told = byId("memory-told");
  told.textContent = text;
  told.classList.add("fresh");
  told.focus({ preventScroll: true });
}

byId("memory-told").addEventListener("blur", () => byId("memory-told").classList.remove("fresh"));
