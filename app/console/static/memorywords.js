// What the API's words for the memory are called among people.
import { dateWords, timeWords } from "./words.js";

const rules = { never_store: "never kept nor brought up", never_raise: "kept, but never brought up", cool_down: "left alone" };
const states = { open: "open", used: "in a call that has begun", kept: "kept", dropped: "dropped" };
const kinds = { person: "people", place: "places", pet: "pets", like: "likes", plan: "plans", worry: "worries", life: "their life" };

export const ruleWords = (l, zone) => (rules[l.rule] ?? l.rule) + (l.until ? ` until ${dateWords(l.until, zone)}` : "");

// factWords says what a fact is about, and since and until when it holds.
export function factWords(f, zone) {
  const from = f.validFrom ? `true since ${dateWords(f.validFrom, zone)}` : `learned on ${dateWords(f.learnedAt, zone)}`;
  let to = "still true";
  if (f.validTo) to = `until ${dateWords(f.validTo, zone)}`;
  else if (f.closedAt) to = `no longer true, as learned on ${dateWords(f.closedAt, zone)}`;
  const topic = f.topic || kinds[f.kind] || f.kind;
  return [topic, `${from}, ${to}`, f.stale ? "to be looked at again: something it rests on has changed" : null].filter(Boolean).join(" · ");
}

// dayWords is a day without a time, such as 2026-11-20: the same in every zone.
const dayWords = (day) => dateWords(`${day}T12:00Z`, "UTC");

// promiseWords says when a promise is due, and what became of it.
export function promiseWords(p, zone) {
  const at = p.dueAt ? timeWords(p.dueAt, zone) : p.dueOn ? dayWords(p.dueOn) : "at the next call";
  return [`due ${at}`, p.recurrence ? "again and again" : null, states[p.status] ?? p.status].filter(Boolean).join(" · ");
}

const short = (text) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
const final = "It cannot be brought back.";
const everywhere = `It goes from the memory, the transcripts and the words of health answers. ${final}`;

// The questions before something is forgotten say what will go.
export const askTurn = (text) => `Forget what was said here, and all that stands on it alone?\n\n“${short(text)}”\n\n${final}`;
export const askFact = (text) => `Forget this fact, and what was said of it?\n\n“${short(text)}”\n\n${final}`;
export const askTopic = (topic, name) => `Forget all that was said about “${topic}” with ${name}?\n\n${everywhere}`;
export const askDay = (day, name) => `Forget all that was said with ${name} on ${dayWords(day)}, as days are where they live?\n\n${everywhere}`;

// forgottenWords says what a forgetting reached, and whether nothing resurfaces.
export function forgottenWords(f, day) {
  const parts = [
    count(f.turns, "thing that was said", "things that were said"), count(f.facts, "fact"), count(f.promises, "promise"),
    count(f.summaries, "summary", "summaries"), count(f.lines, "line of transcripts", "lines of transcripts"),
    count(f.episodes, "chat"), count(f.quotes, "health answer’s words", "health answers’ words"),
    count(f.discussions, "discussion"),
  ].filter(Boolean);
  const nothing = day ? "Nothing was kept of that day where they live." : "There was nothing to forget.";
  const text = parts.length ? `Forgotten: ${parts.join(", ")}.` : nothing;
  if (f.verified === true) return `${text} Every place was searched afterwards: nothing resurfaces.`;
  if (f.verified !== false) return text;
  const left = (f.checks ?? []).filter((c) => c.found).map((c) => `${c.place} (${c.found})`);
  return `${text} ${left.length ? `Still found in: ${left.join(", ")}.` : "It could not be verified that nothing resurfaces."}`;
}

const count = (n, one, many = `${one}s`) => (n ? `${n} ${n === 1 ? one : many}` : null);
