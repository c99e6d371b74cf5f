// A discussion's events, as they come. Where the connection is lost, it goes on
// behind the last event that is known.
import { request } from "./api.js";

const soonest = 250, latest = 15000; // ms before a lost connection is tried again

const forgotten = 4404; // how the stream of a discussion that is no more is closed

// Viewer follows a discussion until it is closed: after its end there may be another
// round.
export class Viewer {
  lost = ""; // why there is no connection, in words
  trying = true; // it is tried again
  gone = false; // the discussion is no more
  #socket = null;
  #timer = 0; // of the next try; 0: there is to be none
  #wait = soonest;

  // changed is called when the state, or lost, is another one.
  constructor(id, state, changed) {
    this.address = `/api/v1/discussions/${encodeURIComponent(id)}`;
    Object.assign(this, { state, changed });
  }

  // open connects, unless it is connected.
  open() {
    if (this.#socket) return;
    this.close(); // no other try is due
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const mine = this.#socket = new WebSocket(`${scheme}://${location.host}${this.address}/stream?after=${this.state.last}`);
    let letIn = false;
    mine.onopen = () => { letIn = true; if (mine === this.#socket) this.#tell(""); };
    mine.onmessage = (e) => mine === this.#socket && this.#take(e.data);
    mine.onclose = (e) => mine === this.#socket && this.#closed(e.code, letIn);
  }

  // close leaves the discussion, which goes on without this viewer.
  close() {
    const old = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    this.#timer = 0;
    old?.close();
  }

  #tell(lost, trying = true) {
    Object.assign(this, { lost, trying });
    this.changed();
  }

  #take(text) {
    let next = false;
    try {
      next = this.state.take(JSON.parse(text));
    } catch (err) {
      console.warn(`An event cannot be read: ${err.message}`);
    }
    if (next) {
      this.#wait = soonest;
      this.changed();
      return;
    }
    this.close(); // events are missing: they are asked for
    this.#again(true);
  }

  #closed(code, letIn) {
    this.#socket = null;
    this.gone = code === forgotten;
    if (this.gone) this.#tell("This discussion is not on record any more.", false);
    else this.#again(letIn);
  }

  #again(letIn) {
    this.#tell("The connection is lost. Trying again…");
    const mine = this.#timer = setTimeout(async () => {
      const why = letIn ? "" : await this.#refused();
      if (mine !== this.#timer) return;
      if (why) this.#tell(why, false); else this.open();
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, latest);
  }

  // refused says why a viewer is not let in, which a socket does not say; "" where
  // trying again may help.
  async #refused() {
    try {
      await request("GET", this.address);
    } catch (err) {
      this.gone = err.status === 404;
      if ([401, 403, 404].includes(err.status)) return err.message;
    }
    return "";
  }
}
