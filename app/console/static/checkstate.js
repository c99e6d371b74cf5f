// What a call's timeline tells of its health check. Nothing here touches the
// page, so that it can be tried by itself.

// CheckState gathers the notes of a call's turns.
//
// A turn is known by its place in its conversation. The newest place may be
// taken again with other words: then what was read there before does not count.
// An older place that comes again is a late repeat, and changes nothing.
export class CheckState {
  #conversation = 0;
  #turns = [];
  #kept = []; // the check as the API has it
  over = false;
  written = null; // how the check was written down after the call

  // take reads one event, and says whether the check is another one now.
  take(event) {
    switch (event.kind) {
      case "conversation_started": this.#conversation++; return false;
      case "ended": this.over = true; return this.begun;
      case "health_check": this.written = event.data ?? {}; return true;
      case "turn": return Boolean(event.data?.health) && this.#turn(event.data);
      default: return false;
    }
  }

  #turn({ place = 0, attempt = 1, health }) {
    const conversation = this.#conversation;
    const turn = { conversation, place, attempt, health };
    const later = this.#turns.findIndex((t) => t.conversation === conversation && t.place >= place);
    if (later < 0) {
      this.#turns.push(turn);
      return true;
    }
    const other = this.#turns[later];
    if (other.place !== place) { // its line was written late
      if (attempt > 1) return false;
      this.#turns.splice(later, 0, turn);
      return true;
    }
    if (later !== this.#turns.length - 1 || attempt < other.attempt) return false;
    this.#turns[later] = turn;
    return true;
  }

  // keep takes the answers that the API has of the check. The timeline does not
  // tell of those that come from an earlier call, nor of what was made out last,
  // when the call had ended. It has no words of the person, and so neither have these.
  keep(answers) {
    this.#kept = answers.map((a) => ({ ...a, value: a.type === "text" ? null : a.value, correction: false, earlier: [] }));
  }

  // lacking says that the turns do not tell all that is in the check.
  get lacking() {
    return this.#turns.some((t) => t.health.resumed) || (this.written?.answered ?? 0) > (this.now.answered ?? 0);
  }

  // count is how far the check is.
  get count() {
    const { answered = 0, of = 0 } = this.written ?? this.now;
    return { answered, of, carried: this.readings.filter((r) => r.carried).length };
  }

  get begun() { return this.#turns.length > 0; }

  // now is what the newest turn says: phase, open question, progress.
  get now() { return this.#turns.at(-1)?.health ?? {}; }

  // readings is one row a question, in the order in which they were first
  // spoken of, each with what it said before. What an earlier call told is first.
  get readings() {
    const rows = new Map(this.#kept.filter((a) => a.carried).map((a) => [a.questionId, { ...a }]));
    for (const turn of this.#turns) {
      for (const r of turn.health.readings ?? []) {
        const row = rows.get(r.questionId);
        if (!row) rows.set(r.questionId, { ...r, earlier: [] });
        else if (r.status === "unclear" && says(row)) continue; // the answer stands until there is another one
        else if (row.status !== r.status || row.value !== r.value) rows.set(r.questionId, replaced(row, r));
        else if (r.correction) Object.assign(row, { correction: true, carried: false });
      }
    }
    if (this.written) this.#addLast(rows);
    return [...rows.values()];
  }

  // addLast adds what was recorded without a turn, when the call had ended.
  #addLast(rows) {
    for (const a of this.#kept) {
      if (says(a) && !says(rows.get(a.questionId) ?? {})) rows.set(a.questionId, { ...a });
    }
  }
}

// says tells an answer, or the refusal of one, from what was not understood.
const says = ({ status }) => status === "answered" || status === "keypad" || status === "refused";

// replaced keeps the old answer beside the new one.
function replaced(row, next) {
  const { earlier, ...old } = row;
  return { ...next, earlier: says(old) ? [...earlier, old] : earlier, correction: next.correction || row.correction };
}
