// One discussion of the care council, as it goes on.
import { request, notice, el, byId } from "./api.js";
import { citedText, statusWords, voiceWords } from "./councilwords.js";
import { showActions } from "./actions.js";
import { DiscussionState, voices } from "./discussionstate.js";
import { Viewer } from "./discussionstream.js";
import { timeWords } from "./words.js";

const pause = 40; // ms in which events are gathered before the page changes
let shown = null; // what is on the page

// showDiscussion fills the page with a discussion about a person, and follows it.
export async function showDiscussion(id, person, zone) {
  const now = shown = { id, person, base: `/api/v1/discussions/${encodeURIComponent(id)}`, drawn: new Map() };
  const d = await request("GET", now.base);
  if (shown !== now) return;
  if (d.userId !== person) throw Object.assign(new Error("There is no such discussion about this person."), { status: 404 });
  now.state = new DiscussionState(d);
  byId("discussion-rounds").replaceChildren();
  byId("discussion-question").textContent = d.question || "What is on record";
  byId("discussion-when").textContent = `Begun ${timeWords(d.startedAt, zone)}`;
  byId("round-question").value = "";
  byId("discussion").hidden = false;
  now.viewer = new Viewer(id, now.state, () => soon(now));
  now.viewer.open();
  draw(now);
}

// leaveDiscussion closes the view; the discussion goes on.
export function leaveDiscussion() {
  shown?.viewer?.close();
  clearTimeout(shown?.timer);
  shown = null;
  byId("discussion").hidden = true;
}

// soon draws what has come once more of it may have.
function soon(now) {
  now.timer ??= setTimeout(() => {
    now.timer = undefined;
    if (shown === now) draw(now);
  }, pause);
}

// clear takes off the page what was forgotten.
function clear(now) {
  Object.assign(now, { state: new DiscussionState({ status: "forgotten" }), drawn: new Map(), items: new Map() });
  for (const part of ["discussion-rounds", "discussion-question", "discussion-when"]) byId(part).replaceChildren();
  byId("round-question").value = "";
}

function draw(now) {
  if (now.viewer.gone && now.state.status !== "forgotten") clear(now);
  const { state } = now;
  const { status } = state;
  const words = stateWords(now);
  fill(byId("discussion-state"), words, () => [words]);
  byId("discussion-state").className = status === "failed" ? "flagged" : "";
  byId("discussion-stop").hidden = status !== "running";
  byId("discussion-retry").hidden = status !== "failed" || !state.retry;
  byId("round-form").hidden = ["stopped", "forgotten"].includes(status);
  byId("round-send").disabled = !["waiting", "complete"].includes(status);
  byId("round-label").textContent = status === "waiting" ? "Your answer" : "Ask the council more";
  byId("discussion-asked").hidden = !state.asked;
  fill(byId("discussion-asked"), `${now.id} ${state.asked}`, () => [el("b", {}, "The council asks: "), ...cited(now, state.asked)]);
  for (const r of state.rounds) drawRound(now, r);
  drawPoints(now, "agreed", state.agreed);
  drawPoints(now, "open", state.open);
  showActions(now, (text) => cited(now, text));
}

// fill puts nodes into a place, unless they are there: a screen reader says them
// once, and the focus stays.
function fill(place, version, nodes) {
  if (place.dataset.version === version) return false;
  place.dataset.version = version;
  place.replaceChildren(...nodes());
  return true;
}

const cited = (now, text, unsupported) => citedText(text, now.person, now.state.citations, unsupported);

function stateWords({ state, viewer }) {
  if (viewer.lost && (state.status === "running" || !viewer.trying)) return viewer.lost;
  const round = state.rounds.at(-1);
  switch (state.status) {
    case "running":
      if (!round?.messages.length) return "The council begins…";
      return `Round ${round.round}: ${state.speaking ? `the ${voiceWords[state.speaking.persona][0]} speaks` : "the council goes on"}.`;
    case "failed": return state.error || "The discussion has broken off.";
    case "stopped": return `The discussion was stopped${state.by ? ` by ${state.by}` : ""}. ${state.error}`.trim();
    default: return `This discussion ${statusWords(state.status)}.`;
  }
}

function drawPoints(now, name, points) {
  byId(`${name}-part`).hidden = !points.length;
  fill(byId(`${name}-list`), JSON.stringify([now.id, points]), () => points.map((p) => el("li", {}, ...cited(now, p))));
}

// drawRound shows a round's three voices side by side; only what has changed is drawn.
function drawRound(now, r) {
  const key = `round ${r.round}`;
  if (!now.drawn.has(key)) {
    const columns = voices.map((persona) => {
      const [name, about] = voiceWords[persona];
      return el("article", { class: `voice ${persona}`, "aria-label": `${name}, round ${r.round}` },
        el("h4", {}, name, el("span", { class: "hint" }, ` ${about}`)), el("p", { class: "words" }), el("p", { class: "hint state" }));
    });
    now.drawn.set(key, columns);
    byId("discussion-rounds").append(el("h3", {}, `Round ${r.round}`),
      ...(r.question ? [el("p", { class: "asked" }, el("b", {}, "Asked by the carers: "), r.question)] : []),
      el("div", { class: "voices" }, ...columns));
  }
  for (const m of r.messages) {
    const [words, state] = now.drawn.get(key)[voices.indexOf(m.persona)].querySelectorAll("p");
    if (!fill(words, `${m.status} ${m.text.length}`, () => (m.status === "complete" ? cited(now, m.text, m.unsupported) : [m.text]))) continue;
    words.parentElement.setAttribute("aria-busy", m.status === "streaming");
    words.parentElement.classList.toggle("incomplete", m.status === "incomplete");
    state.textContent = { streaming: "speaking…", incomplete: "incomplete: the message was broken off" }[m.status] ?? "";
  }
}

// once has a button do something, one press at a time.
function once(button, act) {
  button.onclick = async () => {
    const now = shown;
    button.disabled = true;
    try {
      await act(now);
    } catch (err) {
      notice(err);
    } finally {
      button.disabled = false;
      if (shown === now) draw(now);
    }
  };
}

// prolong asks for a round, and follows it. One that has failed is tried again.
async function prolong(now, body) {
  const { state } = now;
  const { last } = state;
  await request("POST", `${now.base}/rounds`, body);
  if (state.last === last) state.status = "running"; // no event has said so yet
  if (shown === now) now.viewer.open();
}

once(byId("discussion-stop"), (now) => request("POST", `${now.base}/stop`));
once(byId("discussion-retry"), (now) => prolong(now, {}));
byId("round-form").onsubmit = async (event) => {
  event.preventDefault();
  const now = shown;
  const question = byId("round-question").value.trim();
  if (!now || byId("round-send").disabled) return;
  byId("round-send").disabled = true;
  try {
    await prolong(now, question ? { question } : {});
    byId("round-question").value = "";
  } catch (err) {
    notice(err);
  }
  if (shown === now) draw(now);
};
