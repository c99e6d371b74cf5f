// What the council's words are called among people, and its texts with what they cite.
import { el } from "./api.js";

const statuses = {
  running: "is under way", waiting: "waits for an answer", complete: "is complete", stopped: "was stopped", failed: "has broken off",
};
const kinds = {
  promise: "To promise in a call", note: "A note", pause: "A pause of the calls", health_question: "To ask in the next health check", tell: "For somebody to do",
};
export const voiceWords = {
  analyzer: ["Analyzer", "what the record shows"], solver: ["Solver", "what could be done"], moderator: ["Moderator", "what it comes to"],
};

export const statusWords = (status) => statuses[status] ?? status;
export const kindWords = ({ kind, days }) => (kinds[kind] ?? String(kind).replaceAll("_", " ")) + (days ? `, ${days} days` : "");

const labels = /[A-Z]\d+(?::\d+)?/g;
const brackets = /\[[A-Z]\d+(?::\d+)?(?:\s*[,;]\s*[A-Z]\d+(?::\d+)?)*\]/g;

// citedText is a text as nodes: what it cites is linked at its place, and sentences
// that rest on nothing are marked. The nodes' text is the text itself.
export function citedText(text, person, citations, unsupported = []) {
  const marked = unsupported.map((s) => placeOf(s, text)).filter(Boolean).sort((a, b) => a.from - b.from);
  const nodes = [];
  let at = 0;
  for (const { from, to } of marked) {
    if (from < at) continue;
    nodes.push(...linked(text.slice(at, from), person, citations),
      el("mark", { class: "unsupported", title: "Nothing on record bears this out." }, ...linked(text.slice(from, to), person, citations)));
    at = to;
  }
  return [...nodes, ...linked(text.slice(at), person, citations)];
}

// placeOf finds a sentence, of which spaces and citations may have been left out.
function placeOf(sentence, text) {
  const places = []; // of each character that counts
  const bare = text.replace(brackets, (found) => " ".repeat(found.length));
  for (let i = 0; i < bare.length; i++) if (bare[i].trim()) places.push(i);
  const wanted = sentence.replace(/\s/g, "");
  const at = wanted ? places.map((i) => bare[i]).join("").indexOf(wanted) : -1;
  return at < 0 ? null : { from: places[at], to: places[at + wanted.length - 1] + 1 };
}

function linked(text, person, citations) {
  const nodes = [];
  let at = 0;
  for (const group of text.matchAll(brackets)) {
    for (const found of group[0].matchAll(labels)) {
      const from = group.index + found.index;
      nodes.push(text.slice(at, from), citation(found[0], person, citations.get(found[0])));
      at = from + found[0].length;
    }
  }
  return [...nodes, text.slice(at)];
}

// citation links a label to what it stands for.
function citation(label, person, c) {
  if (!c) return label;
  if (!c.resolves) return el("span", { class: "unresolved", title: "The record has nothing by this name." }, label);
  return el("a", { class: "citation", href: addressOf(c, person), title: c.who ? `${c.who}: ${c.text}` : c.text }, label);
}

function addressOf(c, person) {
  const call = `#/calls/${encodeURIComponent(c.callId)}`;
  const page = `#/people/${encodeURIComponent(person)}`;
  switch (c.kind) {
    case "line": return `${call}/lines/${c.line}`;
    case "answer": return `${page}/answers/${encodeURIComponent(c.callId)}/${encodeURIComponent(c.questionId)}`;
    case "trend": return `${page}/trends/${encodeURIComponent(c.questionId)}`;
    case "memory": return `${page}/memory/${encodeURIComponent(c.memoryId ?? "")}`;
    default: return c.callId ? call : page;
  }
}
