// What schedules and their calls are called among people.
import { el } from "./api.js";
import { momentIn } from "./zone.js";

const outcomes = {
  due: "is to come", calling: "under way", done: "done", missed: "missed", escalated: "missed; an alert was raised", skipped: "left out",
};

export const callWords = (type) => String(type).replaceAll("_", " ");
export const outcomeWords = (o) => outcomes[o.status] ?? o.status;

// scheduleWords is a schedule in a sentence.
export const scheduleWords = (s) => `${callWords(s.callType)}, ${s.words}, ${s.window.from} to ${s.window.to}`;

// scheduleAbout is the rest of it, in the person's zone.
export function scheduleAbout(s, zone) {
  const more = s.essential ? `must not be missed, made up until ${s.graceMinutes} min after the window` : "may be missed";
  const next = s.next.length ? `next ${momentIn(s.next[0], zone)}` : "no call is to come";
  return [s.paused ? "paused until somebody resumes it" : next, more, s.endsOn ? `last day ${s.endsOn}` : null, s.note || null].filter(Boolean).join(" · ");
}

export const okWords = (p, zone) => (p.lastKnownOk
  ? ["Last known OK: ", el("a", { href: `#/calls/${p.lastKnownOk.callId}` }, momentIn(p.lastKnownOk.at, zone))]
  : ["Last known OK: no call on record."]);

export const pauseWords = (p, zone) => [p.endsAt ? `until ${momentIn(p.endsAt, zone)}` : "until somebody lifts it",
  new Date(p.startsAt) > new Date() ? `from ${momentIn(p.startsAt, zone)}` : null, p.reason].filter(Boolean).join(", ");
