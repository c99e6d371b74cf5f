// What a person does with the appliance helper. What they could not do ends up on the
// page, for the test to read.
const byId = (id) => document.getElementById(id);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (what, done) => {
  for (let i = 0; i < 200; i++) {
    if (await done()) return;
    await later(20);
  }
  throw new Error(`waited in vain for ${what}`);
};
const must = (is, what) => { if (!is) throw new Error(what); };
const log = () => byId("appliance-log").textContent;
const loaded = async () => (await fetch("/test/loaded")).text();
const button = (words) => [...document.querySelectorAll("section:not([hidden]) button")].find((b) => b.textContent === words);

async function say(text, reply) {
  byId("appliance-text").value = text;
  byId("appliance-form").requestSubmit();
  byId("appliance-form").requestSubmit(); // pressed twice
  must(byId("appliance-state").textContent === "The helper is writing…" && byId("appliance-send").disabled, `nothing shows that ${text} was sent`);
  await until(`the reply to ${text}`, () => byId("appliance-state").textContent === "");
  if (reply) must(log().includes(reply), `no ${reply} in ${log()}`);
  const { right } = byId("appliance-log").lastElementChild.getBoundingClientRect();
  must(right <= innerWidth && document.documentElement.scrollWidth <= innerWidth, `it runs out of the page: ${document.documentElement.scrollWidth} of ${innerWidth}`);
}

async function drive() {
  await until("the people", () => byId("appliance-person").options.length > 1);
  byId("appliance-person").value = byId("appliance-person").options[1].value;
  await say("My dishwasher won't start", "Helper: Which <b>model</b> is it?");
  must(location.hash.length > 20 && byId("appliance-person").disabled, "the address does not keep the conversation");

  await say("Please go on");
  must(byId("appliance-error").textContent === "This was not sent. The helper is away." && byId("appliance-text").value === "Please go on" && !log().includes("Please go on"), "what was not sent is lost");
  await say("Please go on"); // comes through, and its reply is lost
  must(byId("appliance-error").textContent === "nAIber does not answer. Is it still running?" && byId("appliance-text").value === "Please go on", "what may not have come through is lost");
  await say("Please go on", "Control <b>board</b> KP3406971$249.99Runs the programme.Helps with: won't start no lights");
  must(byId("appliance-error").hidden && log().includes("No pictureDoor latch KP11Price not knownShow picture"), `the cards: ${log()}`);
  must(!document.querySelector("#appliance-section img, #appliance-section iframe") && await loaded() === "", "something was loaded unasked");
  button("Show picture").click();
  must(document.activeElement.title === "Picture of Control <b>board</b>", "the focus is not on the picture");
  await until("the picture", async () => (await loaded()).endsWith("board.svg"));
  button("Show picture").click(); // the next one, of a host that the catalogue does not have
  await later(200);

  await say("Does it fits", "✓ Yes, KP3406971 fits KDW482SS.");
  await say("And the other one", "✗ No, KP99 does not fit KDW482SS.");
  await say("How do I install it", "Open the <i>door</i>.");
  must(document.querySelector(".outside.video a").target === "_blank", "the video cannot be opened elsewhere");
  button("Play the video here").click();
  await until("the video", async () => (await loaded()).endsWith("/video"));
  await say("Now mail it", "✓ The summary goes to ann@example.org.");
  button("Show the e-mail").click();
  await until("the e-mail", async () => (await loaded()).endsWith("mail"));
  await say("nothing more", "No part of the KDW482SS is known for that.");

  const here = location.hash;
  location.hash = "#/mails";
  await until("the mailbox", () => byId("mails-list").textContent.includes("Your <b>dishwasher</b>to ann@example.org · "));
  byId("mails-list").querySelector("a").click();
  await until("the e-mail in the mailbox", () => byId("mail").checkVisibility() && byId("mail-text").textContent === "Plain <b>words</b>");
  await until("its looks", async () => (await loaded()).endsWith("mail mail"));
  must(document.documentElement.scrollWidth <= innerWidth, "the mailbox runs out of the page");

  location.hash = "#/appliance";
  await until("an empty page", () => byId("appliance-section").checkVisibility() && log() === "" && !byId("appliance-person").disabled);
  location.hash = here;
  await until("the conversation again", () => log().includes("Control <b>board</b>") && log().includes("No part of the KDW482SS is known"));
  await until("whose it is", () => byId("appliance-person").selectedIndex === 1);
  must(!document.querySelector("#appliance-section iframe"), "something was loaded unasked");
  button("Show picture").click();
  await until("the picture again", async () => (await loaded()).endsWith("mail pictures.kestrel.example/board.svg"));

  location.hash = "#/appliance/gone";
  await until("word that it is gone", () => byId("appliance-error").textContent.startsWith("This conversation is not kept."));
  must(log() === "" && !byId("appliance-send").disabled && !byId("appliance-person").disabled, "one cannot go on");
  location.hash = "#/appliance/old";
  await until("word that it is over", () => byId("appliance-error").textContent === "This conversation is over. What you write now begins another one.");
  must(log().includes("Control <b>board</b>") && !byId("appliance-person").disabled, "what was said is gone");
}

const said = document.createElement("p");
drive().then(() => { said.textContent = "All steps were taken."; }, (err) => { said.textContent = `Stuck: ${err.message}`; }).then(() => document.body.append(said));
