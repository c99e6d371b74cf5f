// What the API's words for the memory are called among people.
import { dateWords, timeWords } from "./words.js";

const rules = { never_store: "never kept nor brought up", never_raise: "kept, but never brought up", cool_down: "left alone" };
const states = { open: "open", used: "in a call that has begun", kept: "kept", dropped: "dropped" };
const kinds = { person: "people", place: "places", pet: "pets", like: "likes", plan: "plans", worry: "worries", life: "their life" };

export const ruleWords = (l) => (rules[l.rule] ?? l.rule) + (l.until ? ` until ${dateWords(l.until)}` : "");

// factWords says what a fact is about, and since and until when it holds.
export function factWords(f) {
  const from = f.validFrom ? `true since ${dateWords(f.validFrom)}` : `learned on ${dateWords(f.learnedAt)}`;
  let to = "still true";
  if (f.validTo) to = `until ${dateWords(f.validTo)}`;
  else if (f.closedAt) to = `no longer true, as learned on ${dateWords(f.closedAt)}`;
  const topic = f.topic || kinds[f.kind] || f.kind;
  return [topic, `${from}, ${to}`, f.stale ? "to be looked at again: something it rests on has changed" : null].filter(Boolean).join(" · ");
}

// promiseWords says when a promise is due, and what became of it.
export function promiseWords(p) {
  const at = p.dueAt ? timeWords(p.dueAt) : p.dueOn ? dateWords(`${p.dueOn}T12:00`) : "at the next call";
  return [`due ${at}`, p.recurrence ? "again and again" : null, states[p.status] ?? p.status].filter(Boolean).join(" · ");
}

// forgottenWords says what a forgetting reached, and whether nothing resurfaces.
export function forgottenWords(f) {
  const parts = [
    count(f.turns, "thing that was said", "things that were said"), count(f.facts, "fact"), count(f.promises, "promise"),
    count(f.summaries, "summary", "summaries"), count(f.lines, "line of transcripts", "lines of transcripts"),
    count(f.episodes, "chat"), count(f.quotes, "health answer’s words", "health answers’ words"),
  ].filter(Boolean);
  const text = parts.length ? `Forgotten: ${parts.join(", ")}.` : "There was nothing to forget.";
  if (f.verified === true) return `${text} Every place was searched afterwards: nothing resurfaces.`;
  if (f.verified !== false) return text;
  const left = (f.checks ?? []).filter((c) => c.found).map((c) => `${c.place} (${c.found})`);
  return `${text} ${left.length ? `Still found in: ${left.join(", ")}.` : "It could not be verified that nothing resurfaces."}`;
}

const count = (n, one, many = `${one}s`) => (n ? `${n} ${n === 1 ? one : many}` : null);
