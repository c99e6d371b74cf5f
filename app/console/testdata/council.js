// What a person does with a discussion: they follow what it cites, and decide. What
// they could not do ends up on the page, for the test to read.
const byId = (id) => document.getElementById(id);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, done) => {
  for (let i = 0; i < 200; i++) {
    if (done()) return;
    await later(20);
  }
  throw new Error(`waited in vain for ${what}`);
};
const links = () => [...document.querySelectorAll("#discussion-rounds a.citation")];
const pointed = () => document.querySelector("section:not([hidden]) .pointed");

async function drive() {
  for (const [label, words] of [["C1:3", "Rose: Who is that?"], ["A2", "Energy4"], ["T1", "How is your energy today"], ["M1", "Rose has a sister, June."]]) {
    await until(`a link ${label}`, () => byId("discussion").checkVisibility() && links().some((a) => a.textContent === label));
    links().find((a) => a.textContent === label).click();
    await until(`${label} at its place`, () => pointed()?.textContent.includes(words));
    await later(50); // what came with it has been laid out
    const { top, bottom } = pointed().getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) throw new Error(`${label} is not in view: ${top} to ${bottom}`);
    history.back();
  }
  await until("the actions", () => byId("actions-list").checkVisibility() && byId("actions-list").querySelector("button"));
  const [confirm] = byId("actions-list").querySelectorAll("button");
  confirm.click(); // by nobody: the page asks who it is
  await later(100);
  byId("decided-by").value = "Ann ";
  byId("actions-list").querySelector("input").value = "when Sam is there";
  confirm.click();
  confirm.click();
  await until("the decision", () => byId("actions-list").textContent.includes("confirmed by Ann") && !byId("actions-list").querySelector("button"));
  if (!document.activeElement.textContent.includes("wakes at night")) throw new Error("the focus is lost");

  location.hash = location.hash.replace(/1$/, "2"); // one that has broken off
  await until("its state", () => byId("discussion-state").textContent === "The discussion has broken off.");
  if (!byId("round-send").disabled) throw new Error("a question can be sent that nobody would hear");
  byId("discussion-retry").click();
  byId("discussion-retry").click();
  await until("another try", () => byId("discussion-stop").checkVisibility() && !byId("discussion-retry").checkVisibility());
  byId("discussion-stop").click();
  await until("the stop to be asked for", () => !byId("discussion-stop").disabled);
}

const said = document.createElement("p");
drive().then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
