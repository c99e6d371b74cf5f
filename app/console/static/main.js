// The page: who can be called, what was called lately, and how nAIber stands.
import { request, notice, el, byId } from "./api.js";
import { follow, followed, lineOf } from "./timeline.js";
import { showPerson } from "./person.js";
import { showCognition } from "./cognition.js";
import { showMemory } from "./memory.js";
import "./memoryforms.js";
import { leaveCouncil, showCouncil } from "./council.js";
import { showAppliance } from "./appliance.js";
import { showMails } from "./mails.js";
import { onAlerts } from "./alertwatch.js";
import { leaveAlerts, showAlerts } from "./alerts.js";
import { leaveAlert, showAlert } from "./alert.js";
import { showSchedules } from "./schedules.js";
import "./alertbanner.js";
import { beElder, inHand, leavePhone, resumePhone } from "./phone.js";
import { showFaults } from "./faults.js";

const sandbox = document.documentElement.dataset.sandbox === "true";
const names = new Map();

async function loadPeople() {
  const { items } = await request("GET", "/api/v1/people?limit=200");
  const list = byId("people");
  list.replaceChildren();
  for (const p of items) {
    const name = p.preferredName || p.name;
    names.set(p.id, name);
    const about = [p.phone, p.timezone.replace("_", " ")].join(" · ");
    const buttons = sandbox
      ? [el("button", { class: "primary", onclick: () => place(p, true) }, `Be ${name}`),
         el("button", { onclick: () => place(p, false) }, `Let ${name} answer`),
         el("button", { onclick: () => ring(p) }, "Ring nAIber")]
      : [el("button", { class: "primary", onclick: () => place(p, false) }, `Call ${name}`)];
    const health = el("a", { href: `#/people/${p.id}`, "aria-label": `Health checks of ${p.name}` }, "Health");
    const cognition = el("a", { href: `#/people/${p.id}/cognition`, "aria-label": `Cognitive checks of ${p.name}` }, "Cognition");
    const memory = el("a", { href: `#/people/${p.id}/memory`, "aria-label": `Memory of ${p.name}` }, "Memory");
    const council = el("a", { href: `#/people/${p.id}/council`, "aria-label": `Care council for ${p.name}` }, "Council");
    const schedules = el("a", { href: `#/people/${p.id}/schedules`, "aria-label": `Schedules of ${p.name}` }, "Schedules");
    list.append(el("li", {}, el("div", { class: "name" }, p.name), el("div", { class: "about" }, about), el("div", { class: "row" }, ...buttons, health, cognition, memory, council, schedules)));
  }
  if (!items.length) list.append(el("li", { class: "hint" }, "Nobody is here yet. Add people with `naiber people add` or POST /api/v1/people."));
}

async function place(person, be) {
  const name = person.preferredName || person.name;
  try {
    if (be) await beElder(person.phone, name); else leavePhone();
    const { callId } = await request("POST", "/call", { userId: person.id, callType: byId("type").value, reason: "console" });
    open(callId);
  } catch (err) {
    leavePhone();
    notice(err);
  }
}

// ring lets the elder, in your hands, phone nAIber.
async function ring(person) {
  const name = person.preferredName || person.name;
  try {
    await beElder(person.phone, name);
    await request("POST", "/sandbox/ring", { number: person.phone });
    const { items } = await request("GET", `/api/v1/calls?userId=${person.id}&limit=1`);
    if (items.length) open(items[0].id);
  } catch (err) {
    leavePhone();
    notice(err);
  }
}

// open shows a call; the address says which, so that it can be kept and sent on.
function open(callId) {
  const address = `#/calls/${callId}`;
  if (location.hash === address) route().catch(notice); // no change that the browser would tell
  else location.hash = address;
  loadRecent().catch(notice);
}

// arrive brings a section that was asked for into view: on a narrow page it opens
// far below what was pressed.
function arrive(title) {
  const { top } = byId(title).getBoundingClientRect();
  byId(title).focus({ preventScroll: true });
  if (top < 0 || top > innerHeight / 3) byId(title).scrollIntoView({ block: "start" });
}

// The pages of a person, by what their addresses say. What follows is what they
// point at: an answer, a trend, a check, a memory, a discussion.
const pages = { answers: "person", trends: "person", cognition: "cognition", memory: "memory", council: "council", alerts: "alerts", schedules: "schedules" };
const sections = ["person", "cognition", "memory", "council", "alerts", "alert", "schedules", "appliance", "mails", "call", "lost"];

// route shows what the address asks for: a call, one of a person's pages, the
// appliance helper, the mailbox, or what was there before.
async function route() {
  const [, kind, id, page, rest] = /^#\/(calls|people)\/([0-9a-f]{8}-[0-9a-f-]{27})(?:\/(lines|answers|trends|cognition|memory|council|alerts|schedules)(?:\/(.+))?)?$/i.exec(location.hash)
    ?? /^#\/(appliance|mails|alerts|schedules)(?:\/([\w.:@%-]+))?$/.exec(location.hash) ?? [];
  if (!kind && location.hash.length > 2) return lost();
  const address = location.hash;
  try {
    await show(kind, id, page, rest?.split("/").map(decodeURIComponent) ?? []);
  } catch (err) {
    if (err.status !== 404) throw err;
    if (location.hash === address) lost();
  }
}

// lost says that an address leads to nothing.
function lost() {
  leaveCouncil();
  leaveAlerts();
  leaveAlert();
  present("lost");
  byId("lost-address").textContent = location.hash;
  arrive("lost-title");
}

// present shows one section, and the telephone beside a call.
function present(section) {
  for (const other of sections) byId(`${other}-section`).hidden = other !== section;
  byId("phone-section").hidden = section !== "call" || !sandbox;
}

async function show(kind, id, page, at) {
  const section = kind === "people" ? pages[page] ?? "person" : kind === "alerts" && id ? "alert" : sections.includes(kind) ? kind : "call";
  present(section);
  if (section !== "council") leaveCouncil();
  leaveAlerts();
  leaveAlert();
  if (section !== "call") arrive(`${section}-title`);
  switch (section) {
    case "person": return showPerson(id, page, at);
    case "cognition": return showCognition(id, at[0]);
    case "memory": return showMemory(id, at[0]);
    case "council": return showCouncil(id, at[0]);
    case "alerts": return showAlerts(id);
    case "alert": return showAlert(decodeURIComponent(id));
    case "schedules": return showSchedules(kind === "people" ? id : undefined);
    case "appliance": return showAppliance(id && decodeURIComponent(id));
    case "mails": return showMails(id && decodeURIComponent(id));
    default: if (kind) await routeCall(id, Number(at[0]));
  }
}

// routeCall shows a call, and points at a line of it where one is asked for.
async function routeCall(id, number) {
  if (followed() !== id || number) {
    const address = location.hash;
    const call = await request("GET", `/api/v1/calls/${id}`);
    if (location.hash !== address) return;
    const line = number ? lineOf(call.transcript ?? [], number) : null;
    follow(id, names.get(call.userId) || "unknown caller", () => loadRecent().catch(notice), line);
    if (line) return;
    if (number) notice(new Error("This line is not on record any more."));
  }
  if (!inHand()) arrive("call-title");
}

async function loadRecent() {
  const { items } = await request("GET", "/api/v1/calls?limit=12");
  byId("recent").replaceChildren(...items.map((c) => {
    const how = [c.callType === "general" ? null : c.callType.replaceAll("_", " "), (c.outcome || c.status).replaceAll("_", " ")];
    return el("li", {}, el("button", { onclick: () => open(c.id) },
      el("span", {}, names.get(c.userId) || "unknown caller"), danger(c), el("span", { class: "hint" }, how.filter(Boolean).join(", ")),
      el("span", { class: "when" }, new Date(c.startedAt).toLocaleString([], { dateStyle: "short", timeStyle: "short" }))));
  }));
}

// danger marks a call in which the person told of danger, also after it was over.
function danger({ danger: d }) {
  if (!d) return null;
  const kind = d.kind.replaceAll("_", " ");
  return el("b", { class: d.overAt ? "danger-mark over" : "danger-mark" }, d.overAt ? `danger (${kind}), then all right` : `danger: ${kind}`);
}

let urgent = 0; // alerts of tier 3 or 4 that nobody has closed
onAlerts((items) => {
  const count = (items ?? []).filter((a) => a.tier >= 3).length;
  if (items && count !== urgent) {
    urgent = count;
    loadStatus();
  }
});

// statusWords never say that all is well while somebody may be in need.
function statusWords(status) {
  if (status !== "ok") return "degraded";
  return urgent ? "nAIber runs; somebody needs help" : "all is well";
}

async function loadStatus() {
  const mark = byId("status");
  try {
    const s = await request("GET", "/status");
    mark.textContent = statusWords(s.status);
    mark.title = [...s.services.map((x) => `${x.name}: ${x.status}`), ...s.degraded.filter((d) => !s.services.some((x) => x.name === d))].join("\n");
    mark.className = "state " + (s.status === "ok" && !urgent ? "ok" : "bad");
  } catch {
    mark.textContent = "not answering";
    mark.className = "state bad";
  }
}

addEventListener("hashchange", () => route().catch(notice));
addEventListener("click", (event) => { // a link to where one is already: the browser does nothing
  const link = event.target.closest("a[href^='#/']");
  if (link && link.hash === location.hash) route().catch(notice);
});
const entered = location.hash;
loadPeople().then(loadRecent).catch(notice) // the lists stand above what is shown
  .then(() => location.hash === entered && route()).catch(notice); // nor is drawn again what somebody has gone to meanwhile
loadStatus();
setInterval(loadStatus, 15000);
setInterval(() => { // danger shows on the row of a call that is not on the page, too
  if (!byId("recent").contains(document.activeElement)) loadRecent().catch(() => {});
}, 15000);
if (sandbox) {
  showFaults().catch(notice);
  resumePhone().catch(notice);
}
