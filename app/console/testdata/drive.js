// What a person does on the page of a memory, step by step. What it could not do
// ends up on the page, for the test to read.
const byId = (id) => document.getElementById(id);
const until = async (what, done) => {
  for (let i = 0; i < 200; i++) {
    if (done()) return;
    await new Promise((later) => setTimeout(later, 20));
  }
  throw new Error(`waited in vain for ${what}`);
};
const text = (id) => byId(id).textContent;
const type = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event("input")); };
const submit = (form) => byId(form).querySelector("button:not([hidden])").click();
const press = (list) => byId(list).querySelector("button").click();

// What the page asks before it forgets. A dialog of the browser would wait for ever.
let question = "", agreed = false;
window.confirm = (words) => { question = words; return agreed; };

// refuse presses, says no, and sees that the question named what would go.
async function refuse(pressing, words) {
  agreed = false;
  question = "";
  pressing();
  if (!question.includes(words)) throw new Error(`asked “${question}”, not about ${words}`);
  agreed = true;
  await new Promise((later) => setTimeout(later, 20));
}

// toldInView says whether what came of a press is seen and has the focus.
function toldInView() {
  const { top, bottom } = byId("memory-told").getBoundingClientRect();
  if (top < 0 || bottom > innerHeight || document.activeElement !== byId("memory-told")) throw new Error(`what was done is not in view: ${top} to ${bottom}`);
}

async function drive() {
  await until("the page", () => text("memory-limits").includes("the war") && text("memory-promises").includes("Sunday"));
  type("memory-q", "sister & Sunday");
  submit("memory-search");
  await until("the search", () => text("memory-how").includes("Only words were searched") && text("memory-turns").includes("June"));
  await refuse(() => press("memory-turns"), "My sister");
  press("memory-turns");
  await until("one memory less", () => !text("memory-turns").includes("June"));
  await refuse(() => press("memory-facts"), "has a sister");
  press("memory-facts");
  await until("one fact less", () => !text("memory-facts").includes("June"));
  press("memory-promises");
  await until("one promise less", () => !text("memory-promises").includes("Sunday"));
  press("memory-limits");
  await until("one limit less", () => text("memory-limits").includes("There are none"));
  type("limit-topic", "her brother");
  type("limit-by", "Rose");
  byId("limit-rule").value = "cool_down";
  byId("limit-rule").dispatchEvent(new Event("change"));
  submit("limit-form"); // without its end: the browser asks for it
  type("limit-until", "2027-01-01");
  submit("limit-form");
  await until("the limit", () => text("memory-limits").includes("her brother"));
  type("forget-topic", "sister");
  await refuse(() => submit("forget-topic-form"), "“sister” with Rose Hartley");
  scrollTo(0, document.body.scrollHeight);
  submit("forget-topic-form");
  await until("the topic", () => text("memory-told").includes("nothing resurfaces"));
  toldInView();
  type("forget-day", "2026-11-20");
  await refuse(() => submit("forget-day-form"), "Nov 20, 2026");
  submit("forget-day-form");
  await until("the day", () => text("memory-told").includes("Still found in"));
  await until("the form to be free again", () => !byId("forget-day").value);
  type("forget-day", "2026-01-01");
  submit("forget-day-form");
  await until("a day of which there is nothing", () => text("memory-told").includes("Nothing was kept of that day where they live."));
  await until("the form to be free again", () => !byId("forget-day").value);
  type("forget-all", "Rose");
  if (!byId("forget-all-button").disabled) throw new Error("half a name is enough to forget everything");
  byId("forget-all-form").requestSubmit();
  await new Promise((later) => setTimeout(later, 100)); // nothing may come of it
  type("forget-all", "Rose Hartley");
  submit("forget-all-form");
  await until("everything", () => text("memory-turns").includes("Nothing like that was said"));
}

const said = document.createElement("p");
drive().then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
