// What a person taps on a narrow page; what they tapped for must come into view.
const byId = (id) => document.getElementById(id);
const later = (ms) => new Promise((done) => setTimeout(done, ms));

async function tap(pressed, title) {
  scrollTo(0, 0);
  pressed().click();
  await later(300);
  const { top, bottom } = byId(title).getBoundingClientRect();
  if (top < 0 || bottom > innerHeight / 2 || document.activeElement !== byId(title)) throw new Error(`${title} is not in view: ${top} to ${bottom} of ${innerHeight}`);
}

async function drive() {
  for (let i = 0; i < 100 && !byId("recent").childElementCount; i++) await later(20);
  for (const button of byId("recent").querySelectorAll("button")) {
    if (button.getBoundingClientRect().right > button.parentElement.getBoundingClientRect().right) throw new Error("a date runs over its line");
  }
  await tap(() => document.querySelector("#people a[href$='/memory']"), "memory-title");
  await tap(() => document.querySelector("#people a[href$='/memory']"), "memory-title"); // once more
  await tap(() => document.querySelector("#people a:not([href$='/memory'])"), "person-title");
  await tap(() => document.querySelector("#recent button"), "call-title");
  if (byId("topics-part").checkVisibility()) throw new Error("there is a heading without topics");
}

const said = document.createElement("p");
drive().then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
