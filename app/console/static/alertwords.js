// What alerts are called among people.
import { el } from "./api.js";
import { given } from "./words.js";

const tiers = { 4: "now", 3: "urgent", 2: "same day", 1: "digest" };
const channels = { sms: "text message", call: "telephone call", email: "e-mail", webhook: "webhook" };
const notices = { queued: "waits to be sent", sent: "sent", delivered: "delivered", failed: "failed", acknowledged: "answered" };
const events = {
  raised: () => "The alert was raised", tier_raised: () => "It became more urgent: people are told from the start again",
  opened: (e) => `${e.by} opened the link (${channelWords(e.detail)})`, acknowledged: (e) => `${e.by} sees to it`, closed: (e) => `${e.by} closed it`,
  replied: (e) => `${e.by} replied`, declined: (e) => `${e.by} cannot help now`, put_through: (e) => `${e.by} is put through, in the call`,
  nobody_to_tell: () => "There is nobody who may be told", exhausted: () => "Nobody else is told: the ladder has ended",
};

export const awaited = (a) => a.status === "open" || a.status === "notified";
export const channelWords = (channel) => channels[channel] ?? channel;
export const noticeWords = (n) => notices[n.status] ?? n.status;

// tierBadge says a tier in words; its colour is no more than that.
export const tierBadge = (tier) => el("span", { class: `tier tier-${tier}` }, `Tier ${tier}: ${tiers[tier] ?? "?"}`);

// alertLink leads to an alert, by whom and what it is about.
export const alertLink = (a, name) => el("a", { href: `#/alerts/${encodeURIComponent(a.id)}` }, name ? `${name}: ${a.what}` : a.what);

// standing says where an alert stands, and who has to do with it.
export function standing(a) {
  if (a.status === "closed") return `closed by ${a.closedBy}: ${a.outcome}`;
  if (a.status === "acknowledged") return `${a.acknowledgedBy} sees to it`;
  const told = new Map();
  for (const n of a.notices) if (n.status !== "failed") told.set(n.to, (told.get(n.to) ?? new Set()).add(`${channelWords(n.channel)} ${noticeWords(n)}`));
  if (told.size) return `nobody sees to it yet; being told: ${[...told].map(([to, how]) => `${to} (${[...how].join(", ")})`).join(", ")}`;
  return a.notices.length ? "nobody sees to it yet; no notice has arrived" : "nobody sees to it yet, and nobody was told yet";
}

// eventWords is what happened, and its detail where that says more.
export function eventWords(e) {
  const detail = e.kind === "opened" || e.kind === "declined" ? "" : e.detail;
  return (events[e.kind]?.(e) ?? `${e.kind.replaceAll("_", " ")}${e.by ? `, ${e.by}` : ""}`) + (detail ? `: ${detail}` : "");
}

// momentWords is a time of the browser's own zone, which it names.
export const momentWords = (time) => (given(time) ? new Date(time).toLocaleString([], {
  day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short",
}) : "");

// agoWords is how long ago something was.
export function agoWords(time) {
  const minutes = Math.floor((Date.now() - new Date(time)) / 60e3);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min ago` : `${Math.floor(hours / 24)} days ago`;
}

// age is how old something is; setAges keeps such words true.
export const age = (time) => el("time", { datetime: time, title: momentWords(time) }, agoWords(time));
export function setAges(list) {
  for (const t of list.querySelectorAll("time")) t.textContent = agoWords(t.dateTime);
}
