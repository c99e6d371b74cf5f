// The care council of one person: what it has discussed, and a new discussion.
import { request, notice, el, byId } from "./api.js";
import { statusWords } from "./councilwords.js";
import { leaveDiscussion, showDiscussion } from "./discussion.js";
import { timeWords } from "./words.js";
import { zoneOf, zoneWords } from "./zone.js";

const pageSize = 20;
let shown = null; // the person on the page: answers for another one come too late

// showCouncil fills the page with a person's discussions, or with one of them.
export async function showCouncil(id, discussion) {
  leaveDiscussion();
  const now = shown = { id };
  byId("council-title").textContent = "Care council";
  byId("council-zone").textContent = "";
  byId("council-list").replaceChildren();
  byId("council-back").href = `#/people/${encodeURIComponent(id)}/council`;
  for (const part of ["council-all", "more-council", "council-back"]) byId(part).hidden = true;
  const person = await request("GET", `/api/v1/people/${encodeURIComponent(id)}`);
  if (shown !== now) return;
  now.zone = zoneOf(person);
  byId("council-title").textContent = `Care council for ${person.name}`;
  byId("council-zone").textContent = zoneWords(now.zone);
  byId("council-back").hidden = !discussion;
  byId("council-all").hidden = Boolean(discussion);
  if (discussion) await showDiscussion(discussion, id, now.zone);
  else await loadList(now);
}

// leaveCouncil is called when something else is shown: what is under way goes on.
export function leaveCouncil() {
  shown = null;
  leaveDiscussion();
}

async function loadList(now, cursor) {
  const query = new URLSearchParams({ userId: now.id, limit: pageSize, ...(cursor && { cursor }) });
  const { items, nextCursor } = await request("GET", `/api/v1/discussions?${query}`);
  if (shown !== now) return;
  const list = byId("council-list");
  list.append(...(items ?? []).map((d) => el("li", {}, el("div", { class: "what" },
    el("a", { href: address(now.id, d.id) }, d.question || "What is on record"),
    el("div", { class: "hint" }, `${timeWords(d.startedAt, now.zone)} · ${statusWords(d.status)}`)))));
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, "Nothing was discussed yet."));
  const more = byId("more-council");
  more.hidden = !nextCursor;
  more.onclick = () => { more.hidden = true; loadList(now, nextCursor).catch(notice); };
}

const address = (person, discussion) => `#/people/${encodeURIComponent(person)}/council/${encodeURIComponent(discussion)}`;

byId("council-start").onsubmit = async (event) => {
  event.preventDefault();
  const now = shown;
  const button = byId("council-begin");
  if (!now || button.disabled) return;
  button.disabled = true;
  try {
    const question = byId("council-question").value.trim();
    const body = { userId: now.id, rounds: Number(byId("council-rounds").value), ...(question && { question }) };
    const { discussionId } = await request("POST", "/api/v1/discussions", body);
    byId("council-question").value = "";
    if (shown === now) location.hash = address(now.id, discussionId);
  } catch (err) {
    notice(err);
  } finally {
    button.disabled = false;
  }
};
