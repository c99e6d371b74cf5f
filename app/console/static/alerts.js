// The alerts: those that nobody has closed first, the most pressing of them on top.
import { request, notice, el, byId } from "./api.js";
import { age, alertLink, awaited, setAges, standing, tierBadge } from "./alertwords.js";
import { lookForAlerts, onAlerts } from "./alertwatch.js";
import { fillPeople, personOf } from "./people.js";

const pageSize = 20;
let shown = null; // what is on the page: answers for something else come too late
const items = new Map(); // by id: what stays as it was is not drawn again, so that it keeps the focus

// showAlerts fills the page with the alerts of a person, or of everybody.
export async function showAlerts(person) {
  const now = shown = { person };
  items.clear();
  byId("alerts-list").replaceChildren(el("li", { class: "hint" }, "Loading…"));
  byId("closed-list").replaceChildren();
  byId("more-alerts").hidden = true;
  byId("alerts-title").textContent = "Alerts";
  byId("alerts-schedules").href = person ? `#/people/${person}/schedules` : "#/schedules";
  await fillPeople(byId("alerts-person"), person);
  if (shown !== now) return;
  if (person) byId("alerts-title").textContent = `Alerts of ${(await personOf(person)).name}`;
  lookForAlerts();
  await showClosed(now);
}

// leaveAlerts is called when something else is shown.
export function leaveAlerts() { shown = null; }

onAlerts(async (all, failed) => {
  const now = shown;
  if (!now || failed) return; // the banner says so
  const mine = all.filter((a) => !now.person || a.userId === now.person);
  const fresh = await Promise.all(mine.map((a) => itemOf(a)));
  if (shown !== now) return;
  const list = byId("alerts-list");
  for (const id of [...items.keys()]) if (!mine.some((a) => a.id === id)) items.delete(id);
  if (!fresh.length) fresh.push(el("li", { class: "hint" }, "No alert is open."));
  if (fresh.length !== list.childElementCount || fresh.some((li, i) => list.children[i] !== li)) {
    const focused = document.activeElement?.closest?.("#alerts-list li")?.dataset.key;
    list.replaceChildren(...fresh);
    if (focused) items.get(focused)?.item.querySelector("a").focus();
  }
  setAges(list);
});

async function itemOf(a) {
  const said = JSON.stringify(a);
  if (items.get(a.id)?.said !== said) items.set(a.id, { said, item: await alertItem(a) });
  return items.get(a.id).item;
}

async function alertItem(a) {
  const name = a.userId ? (await personOf(a.userId).catch(() => null))?.name : null;
  return el("li", { class: awaited(a) ? `alert waits tier-${a.tier}` : `alert tier-${a.tier}`, "data-key": a.id }, el("div", { class: "what" },
    el("p", {}, tierBadge(a.tier), " ", alertLink(a, name)),
    a.quote ? el("p", {}, el("q", {}, a.quote)) : null,
    el("div", { class: "hint" }, age(a.createdAt), a.unsure ? " · who was on the line was not known" : "", ` · ${standing(a)}`)));
}

// showClosed lists those that are closed, where all are wanted.
async function showClosed(now, cursor) {
  const list = byId("closed-list");
  byId("closed-part").hidden = byId("alerts-show").value !== "all";
  if (byId("closed-part").hidden) return;
  const query = new URLSearchParams({ status: "closed", limit: pageSize, ...(now.person && { userId: now.person }), ...(cursor && { cursor }) });
  const { items: closed, nextCursor } = await request("GET", `/api/v1/alerts?${query}`);
  const fresh = await Promise.all(closed.map(alertItem));
  if (shown !== now) return;
  if (!cursor) list.replaceChildren();
  list.append(...fresh);
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, "None was closed yet."));
  const more = byId("more-alerts");
  more.hidden = !nextCursor;
  more.onclick = () => { more.hidden = true; showClosed(now, nextCursor).catch(notice); };
}

byId("alerts-show").onchange = () => { if (shown) showClosed(shown).catch(notice); };
byId("alerts-person").onchange = (event) => {
  const id = event.target.value;
  location.hash = id ? `#/people/${id}/alerts` : "#/alerts";
};
