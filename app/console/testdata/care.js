// What somebody does with an alert and with schedules, on a narrow page. What they could
// not do ends up on the page, for the test to read.
const byId = (id) => document.getElementById(id);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, done) => {
  for (let i = 0; i < 100; i++) {
    if (done()) return;
    await later(20);
  }
  throw new Error(`waited in vain for ${what}`);
};
const text = (id) => byId(id).textContent;
const type = (form, values) => { for (const [name, value] of Object.entries(values)) byId(form).elements[name].value = value; };
const press = (id) => byId(id).querySelector("button").click();
window.confirm = () => true;

// fits says whether all of a section can be seen and is named, without scrolling sideways.
function fits(id) {
  if (document.documentElement.scrollWidth > innerWidth) throw new Error(`${id} is ${document.documentElement.scrollWidth} wide, the window ${innerWidth}`);
  for (const e of byId(id).querySelectorAll("input, select, button, textarea, a")) {
    const name = e.getAttribute("aria-label") ?? (e.labels?.[0] ?? e).textContent;
    if (e.checkVisibility() && !name.trim()) throw new Error(`${e.outerHTML} in ${id} has no name`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  const twice = ids.find((one, i) => ids.indexOf(one) !== i);
  if (twice) throw new Error(`the id ${twice} is there twice`);
}

async function takeAlert() {
  await until("the alerts", () => text("alerts-list").includes("cannot get up"));
  fits("alerts-section");
  byId("alerts-show").value = "all";
  byId("alerts-show").dispatchEvent(new Event("change"));
  await until("closed ones", () => text("closed-list").includes("closed by Ann: Spoke with <b>her</b>."));
  byId("alerts-list").querySelector("a").click();
  await until("the alert", () => byId("alert-acknowledge").checkVisibility());
  if (document.activeElement !== byId("alert-title")) throw new Error("the alert has not got the focus");
  fits("alert-section");
  press("alert-acknowledge"); // by nobody: the browser asks who it is
  type("alert-acknowledge", { "alert-by": "Ruth", "alert-note": "driving there" });
  press("alert-acknowledge");
  await until("what the API says", () => text("alert-problem").includes("Somebody else has acknowledged"));
  await until("who was first", () => text("alert-status") === "Tom sees to it." && !byId("alert-acknowledge").checkVisibility());
  await until("the banner", () => text("alert-live").includes("1 urgent alert is seen to, and not closed"));
  type("alert-close", { "close-by": "Ruth", "alert-outcome": "?" });
  press("alert-close");
  const outcome = byId("alert-outcome");
  await until("the error at its field", () => outcome.getAttribute("aria-invalid") && byId(outcome.getAttribute("aria-describedby"))?.textContent === "says nothing" && document.activeElement === outcome);
  outcome.value = "She is fine.";
  press("alert-close");
  await until("the end", () => text("alert-status") === "Closed by Ruth: She is fine." && !byId("alert-close").checkVisibility());
  await until("the banner to go", () => !text("alert-live") && text("alerts-count") === " (1)");
}

async function plan() {
  byId("people").querySelector("a[href$='/schedules']").click();
  await until("the schedule", () => text("schedules-list").includes("every Monday"));
  fits("schedules-section");
  const form = byId("schedule-form");
  for (const day of ["SA", "SU"]) form.elements[day].click();
  type("schedule-form", { from: "09:00", to: "08:00" });
  byId("schedule-keep").click();
  await until("what is wrong with the window", () => form.elements.to.nextElementSibling?.textContent === "must be later than window.from" && document.activeElement === form.elements.to);
  type("schedule-form", { to: "10:00" });
  byId("schedule-keep").click();
  await until("a schedule more", () => text("schedules-told") === "The schedule is added." && !form.elements.to.value);
  press("schedules-list");
  await until("the form", () => form.elements.from.value === "09:00" && form.elements.MO.checked && !form.elements.TU.checked && form.elements.TH.checked);
  byId("schedule-advanced").open = true;
  type("schedule-form", { rrule: "FREQ=DAILY;INTERVAL=2", jitter: "" });
  fits("schedules-section");
  byId("schedule-keep").click();
  await until("the change", () => text("schedules-told") === "The schedule is changed.");
  for (const [button, words] of [[1, "paused until"], [1, "goes on"], [2, "is deleted"]]) {
    byId("schedules-list").querySelectorAll("button")[button].click();
    await until(words, () => text("schedules-told").includes(words) && document.activeElement === byId("schedules-told"));
  }
  type("pause-form", { "pause-until": "2026-12-01", "pause-reason": "on holiday" });
  press("pause-form");
  await until("the pause", () => text("schedules-told") === "All calls are paused.");
}

const said = document.createElement("p");
takeAlert().then(plan).then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
