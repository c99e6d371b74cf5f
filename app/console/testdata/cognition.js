// What somebody does with a person's cognitive checks on a narrow page. What they could
// not do ends up on the page, for the test to read.
const byId = (id) => document.getElementById(id);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, done) => {
  for (let i = 0; i < 200; i++) {
    if (done()) return;
    await later(20);
  }
  throw new Error(`waited in vain for ${what}`);
};
const task = () => byId("cognition-checks").querySelector("[data-key=six_item]");

async function drive() {
  const asked = byId("cognition-asked");
  await until("the check that was asked for", () => document.querySelector("#cognition-checks .pointed"));
  await until("the consent to be asked for", () => asked.checkVisibility() && asked.textContent.includes("There is no consent to cognitive checks of Ada King"));
  if (byId("cognition-consent").checkVisibility()) throw new Error("there is a consent");
  asked.requestSubmit(); // by nobody: the page asks who it is
  await later(100);
  byId("cognition-given-by").value = " Ada ";
  byId("cognition-how").value = "by telephone";
  asked.requestSubmit();
  asked.requestSubmit();
  await until("the consent", () => !asked.checkVisibility() && byId("cognition-consent-words").textContent.startsWith("Ada agreed to cognitive checks on Nov 20, 2026 (by telephone)"));

  byId("born").value = "1941-03-29";
  byId("cognition-born").requestSubmit();
  await until("the date of birth", () => byId("born-told").textContent === "Kept." && byId("born").value === "1941-03-29");

  const link = byId("cognition-report");
  if (!/\/people\/[0-9a-f-]+\/cognitive-report$/.test(link.href) || link.target !== "_blank") throw new Error(`the report is at ${link.href}`);

  task().querySelector("details summary").click();
  const form = task().querySelector("form");
  const [raw, by, note] = form.querySelectorAll("input");
  if (raw.value !== "4" || by.value !== "admin") throw new Error(`the form begins with ${raw.value} by ${by.value}`);
  raw.value = "7"; // more than there are
  form.requestSubmit();
  await later(100);
  Object.assign(raw, { value: "6" });
  Object.assign(by, { value: "Ann" });
  Object.assign(note, { value: "heard it" });
  form.requestSubmit();
  await until("the correction", () => task().textContent.includes("corrected to 6 of 6 by Ann"));
  if (document.activeElement !== task()) throw new Error("the focus is lost");
  if (task().querySelector("form input").value !== "6") throw new Error("the form does not go on from the correction");

  let question = "";
  window.confirm = (text) => { question = text; return true; };
  byId("cognition-consent").requestSubmit();
  await until("the consent to be gone", () => asked.checkVisibility() && !byId("cognition-consent").checkVisibility());
  if (!question.includes("Ada King")) throw new Error("it was not asked first");
  if (document.documentElement.scrollWidth > innerWidth) throw new Error(`the page is ${document.documentElement.scrollWidth} wide, of ${innerWidth}`);
}

const said = document.createElement("p");
drive().then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
