// What the API's words for cognitive checks are called among people. Nothing here says
// right or wrong, and nothing is a diagnosis.

const statuses = {
  complete: "complete", partial: "unfinished", postponed: "postponed, it was no good moment", declined: "the person did not want it",
};
const tasks = {
  complete: "complete", partial: "broken off", void: "void", refused: "the person did not want it", not_reached: "not reached",
};
const voids = {
  interrupted: "it was interrupted", line_dropped: "the line was lost", prompted: "somebody helped with the answers", noise: "there was noise", not_heard: "it could not be heard",
};
const confounders = {
  hearing: "hearing", noise: "noise", illness: "feeling ill", sleep: "poor sleep", mood: "low mood", medicine: "a change of medicine",
  company: "somebody was there", interrupted: "an interruption", postponed: "when it would suit",
};
const reasons = {
  variant: "another form of the word", repeated: "said before", intrusion: "not among what was asked for", wrong: "another answer was asked for",
  late: "after the time was over", talk: "said about the task", corrected: "taken back for what came after it",
};
const changes = {
  too_early: "Too early to say", none: "No reliable change", decline: "A change worth discussing with a clinician", improvement: "An improvement beyond chance",
};
const phases = {
  opening: "Asking whether it is a good moment", quiet: "Asking for quiet", hearing: "Making sure of hearing", wellbeing: "Asking whether anything is different today",
  alone: "Asking for answers without help", offer: "Asking whether to go on", when: "Asking when it would suit better",
  confirm_exit: "Asking whether to stop", easy: "Something easy, before the goodbye", closing: "Saying goodbye",
};

const plain = (word) => String(word ?? "").replaceAll("_", " ");
const named = (names) => (word) => names[word] ?? plain(word);

export const checkStatus = named(statuses);
export const confounderWords = named(confounders);
export const changeWords = named(changes);
export const reasonWords = named(reasons);
export const itemWords = plain;

// phaseWords says what goes on in a call: a task by its name, or what comes around the tasks.
export const phaseWords = ({ phase, task }) => (phase === "task" && task ? `Task: ${plain(task)}` : named(phases)(phase));

// taskStatus says what became of a task, and why where it is void.
export function taskStatus({ status, why }) {
  return (tasks[status] ?? plain(status)) + (why ? `: ${named(voids)(why)}` : "");
}

// scoreWords is a number of points; max is 0 where a task is open ended.
export function scoreWords(raw, max) {
  if (raw === null || raw === undefined) return "no score";
  return max ? `${raw} of ${max}` : String(raw);
}

// figure rounds to a tenth, with a proper minus sign.
export const figure = (value) => String(Math.round(value * 10) / 10).replace("-", "\u2212");
