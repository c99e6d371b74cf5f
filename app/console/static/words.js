// What the API's words for health checks are called among people.

const statuses = {
  completed: "complete", "in-progress": "broken off", stopped: "ended early, as the person wished",
};
const endings = {
  completed: "The check is complete.", "in-progress": "The check was broken off.", stopped: "The check ended early, as the person wished.",
};
const answers = {
  answered: "answered", keypad: "by keypad", refused: "preferred not to say", unclear: "not understood",
  skipped: "passed over", not_reached: "not reached",
};
const phases = {
  opening: "Asking whether it is a good moment", distress: "Giving time, and offering to stop",
  asking: "Asking", reading_back: "Making sure of an answer", follow_up: "Asking more", keypad: "Offering the keypad",
  confirm_exit: "Asking whether to stop", confirm_person: "Making sure who is speaking", closing: "Saying goodbye",
};
const sources = { rules: "rules", model: "model", keypad: "keypad" };

const plain = (word) => String(word ?? "").replaceAll("_", " ");

export const phaseWords = (phase) => phases[phase] ?? plain(phase);
export const answerStatus = (status) => answers[status] ?? plain(status);
export const sourceWords = (source) => sources[source] ?? plain(source);

// checkStatus says how far a check came.
export function checkStatus(check) {
  if (check.status !== "in-progress") return statuses[check.status] ?? plain(check.status);
  if (!given(check.endedAt)) return "under way";
  return check.continuedBy ? "broken off, and gone on with in a later call" : statuses["in-progress"];
}

// endWords says how a check ended, once that is known.
export const endWords = (status) => endings[status] ?? "";

// valueWords is an answer as people write it. A choice comes as its value, such
// as "not_at_all"; what the person said in a text is left as it is.
export function valueWords(value, type) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  return type === "text" || type === "time" ? String(value) : plain(value);
}

// nameWords is a value of a trend: yes or no, a choice by its label, or a number.
export function nameWords(value, { type, labels }) {
  if (type === "boolean") return valueWords(value > 0.5);
  const exact = labels?.find((l) => l.value === value);
  if (exact) return exact.label;
  const below = labels?.findLast((l) => l.value < value), above = labels?.find((l) => l.value > value);
  return below && above ? `between ${below.label} and ${above.label}` : valueWords(value);
}

// answerWords is a kept answer: a choice by its label, a number with its unit.
export function answerWords({ value, type, label, unit }) {
  return label || valueWords(value, type) + (unit && value != null ? ` ${unit}` : "");
}

// tryWords counts attempts, the first one being 0.
export function tryWords(attempt) {
  return ["", "second try", "third try", "fourth try"][attempt] ?? `try ${attempt + 1}`;
}

// given tells a time from the zero time, which stands for none.
export const given = (time) => Boolean(time) && !String(time).startsWith("0001-");

// Times are those of a zone, or the browser's own where none is given.
export const dateWords = (time, timeZone) => new Date(time).toLocaleDateString([], { day: "numeric", month: "short", year: "numeric", timeZone });
export const timeWords = (time, timeZone) => new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short", timeZone });
