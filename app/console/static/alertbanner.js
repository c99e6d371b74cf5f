// What is urgent is said on every page, until somebody has closed it.
import { el, byId } from "./api.js";
import { alertLink, awaited, tierBadge } from "./alertwords.js";
import { onAlerts, watchAlerts } from "./alertwatch.js";
import { personOf } from "./people.js";

const shown = 3; // lines, so that the page below stays in view
let said = ""; // a screen reader says what changes: nothing is written twice

onAlerts(async (items, failed) => {
  if (failed) return say(`x ${failed.message}`, el("p", { class: "urgent" }, `Alerts cannot be read: ${failed.message}`));
  byId("alerts-count").textContent = items.length ? ` (${items.length})` : "";
  const urgent = items.filter((a) => a.tier >= 3);
  document.title = urgent.length ? `(${urgent.length}) nAIber` : "nAIber"; // seen in another tab
  const waiting = urgent.filter(awaited), taken = urgent.length - waiting.length;
  const named = await Promise.all(waiting.slice(0, shown).map(async (a) => ({ ...a, name: a.userId ? (await personOf(a.userId).catch(() => null))?.name : null })));
  const lines = named.map((a) => el("p", { class: "urgent" }, tierBadge(a.tier), " ", alertLink(a, a.name), ". Nobody sees to it yet."));
  if (waiting.length > shown) lines.push(el("p", { class: "urgent" }, el("a", { href: "#/alerts" }, `${waiting.length - shown} more that nobody sees to`)));
  if (taken) lines.push(el("p", { class: "taken" }, el("a", { href: "#/alerts" }, `${taken} urgent ${taken > 1 ? "alerts are" : "alert is"} seen to, and not closed`)));
  say(JSON.stringify([named.map((a) => [a.id, a.tier, a.name]), waiting.length, taken]), ...lines);
});

function say(words, ...lines) {
  if (words === said) return;
  said = words;
  byId("alert-live").replaceChildren(...lines);
}

watchAlerts();
