// What a discussion of the care council has come to. Nothing here touches the
// page, so that it can be tried by itself.

// The order in which the voices speak in a round.
export const voices = ["analyzer", "solver", "moderator"];

// DiscussionState is what the API tells of a discussion, and its events after that.
export class DiscussionState {
  // A message has the text that its chunks came to so far, or its final one.
  rounds = [];
  actions = new Map(); // by id
  citations = new Map(); // by label: one label means the same in all of a discussion
  error = ""; // why it was broken off or stopped
  retry = true; // whether a round that failed can be tried again
  by = ""; // who stopped it

  constructor(d) {
    Object.assign(this, { last: d.lastSeq, status: d.status, question: d.question ?? "", asked: d.asked ?? "", agreed: d.agreed ?? [], open: d.open ?? [] });
    for (const r of d.rounds ?? []) {
      this.#round(r);
      for (const m of r.messages ?? []) {
        const shown = this.#message({ ...m, round: r.round });
        if (m.status === "complete") this.#complete(shown, m);
        else Object.assign(shown, { text: m.content ?? "", status: m.status });
      }
    }
    for (const a of d.actions ?? []) this.actions.set(a.id, a);
    this.#cites(d);
  }

  // take adds an event, unless it is known already. It reports false where others
  // are missing before it.
  take(event) {
    if (event.seq <= this.last) return true;
    if (event.seq !== this.last + 1) return false;
    this.last = event.seq;
    this.#add(event);
    return true;
  }

  // speaking is the message that grows just now, if any.
  get speaking() {
    return this.rounds.at(-1)?.messages.find((m) => m.status === "streaming");
  }

  #add(e) {
    switch (e.type) {
      case "round-start":
        this.#round(e);
        this.status = "running";
        this.asked = "";
        break;
      case "message-start":
        this.status = "running";
        Object.assign(this.#message(e), { status: "streaming" }); // one that is gone on with keeps its text
        break;
      case "message-chunk":
        this.#message(e).text += e.text ?? "";
        break;
      case "message-complete": {
        const m = this.#message(e);
        if (m.text !== e.content) console.warn(`The chunks of turn ${e.turn} came to other words than the message, which replaces them.`);
        this.#complete(m, e);
        break;
      }
      case "discussion-complete":
        Object.assign(this, { agreed: e.agreed ?? [], open: e.open ?? [], asked: e.question ?? "" });
        this.#cites(e);
        for (const a of e.actions ?? []) if (!this.actions.has(a.id)) this.actions.set(a.id, a);
        this.#end(e.question ? "waiting" : "complete");
        break;
      case "discussion-stopped":
        this.by = { api: "", naiber: "nAIber" }[e.by] ?? e.by ?? "";
        this.error = e.message ?? "";
        this.#end("stopped");
        break;
      case "error":
        Object.assign(this, { error: e.message ?? "", retry: e.retry !== false });
        this.#end("failed");
        break;
      default: // it says nothing that is shown
    }
  }

  #end(status) {
    this.status = status;
    for (const m of this.rounds.at(-1)?.messages ?? []) if (m.status === "streaming") m.status = "incomplete";
  }

  #round({ round, question }) {
    let r = this.rounds.find((other) => other.round === round);
    if (!r) this.rounds.push(r = { round, question: question ?? "", messages: [] });
    return r;
  }

  #message({ round, turn, persona }) {
    const { messages } = this.#round({ round });
    let m = messages.find((other) => other.turn === turn);
    if (!m) messages.push(m = { turn, persona: persona ?? voices[(turn - 1) % voices.length], text: "", status: "streaming", unsupported: [] });
    return m;
  }

  #complete(m, { content, citations, unsupported }) {
    Object.assign(m, { text: content, status: "complete", unsupported: unsupported ?? [] });
    this.#cites({ citations });
  }

  #cites({ citations }) {
    for (const c of citations ?? []) this.citations.set(c.label, c);
  }
}
