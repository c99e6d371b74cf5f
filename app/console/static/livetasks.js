// A call's cognitive check as it goes on: what is done now, and how many tasks are.
import { byId } from "./api.js";
import { checkStatus, phaseWords } from "./cognitionwords.js";

let newest = null; // the note of the newest turn
let place = 0;

// clearTasks makes room for another call.
export function clearTasks() {
  newest = null;
  place = 0;
  byId("tasks-part").hidden = true;
}

// tellTasks takes one event of the call's timeline. An older turn that comes again
// changes nothing.
export function tellTasks({ kind, data }) {
  if (kind === "conversation_started") place = 0;
  if (kind === "turn" && data?.cognitive && (data.place ?? 0) >= place) {
    newest = data.cognitive;
    place = data.place ?? 0;
  }
  if (kind === "cognitive_check") newest = data ?? {}; // as it was written down after the call
  if (!newest || !["turn", "ended", "cognitive_check"].includes(kind)) return;
  const { done = 0, of = 0 } = newest;
  byId("tasks-part").hidden = false;
  byId("tasks-bar").max = Math.max(of, 1);
  byId("tasks-bar").value = done;
  byId("tasks-count").textContent = `${done} of ${of} tasks done`;
  byId("tasks-now").textContent = kind === "turn" ? phaseWords(newest) : `The call is over.${newest.status ? ` The check: ${checkStatus(newest.status)}.` : ""}`;
}
