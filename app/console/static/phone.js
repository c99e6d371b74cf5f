// The elder's telephone: what it plays and what is said into it, word by word.
import { el, byId } from "./api.js";

let socket = null;
let current = null; // the bubble that nAIber is speaking into
let name = "";

const taken = 4000; // how the sandbox closes where another window has the telephone
const again = 1000; // ms before a lost connection is tried again

const send = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));

// beElder takes the elder's telephone; it resolves when the telephone is ready to ring.
export async function beElder(number, elder) {
  leavePhone();
  name = elder;
  sessionStorage.setItem("elder", JSON.stringify([number, elder])); // for this page, loaded again
  byId("phone-hint").hidden = true;
  byId("phone").hidden = false;
  byId("phone-title").textContent = `You are ${elder}`;
  byId("talk").replaceChildren();
  show("waiting", "Waiting for the call…");
  await hold(number);
}

// resumePhone takes the telephone back that this page had before it was loaded again.
export async function resumePhone() {
  const [number, elder] = JSON.parse(sessionStorage.getItem("elder")) ?? [];
  if (number) await beElder(number, elder);
}

// hold connects to the telephone, and again where the connection is lost. The
// sandbox then tells once more what there was of the call.
function hold(number) {
  return new Promise((resolve, reject) => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const mine = socket = new WebSocket(`${scheme}://${location.host}/sandbox/phone?number=${encodeURIComponent(number)}`);
    let ready = false;
    mine.onmessage = (e) => {
      if (mine !== socket) return;
      const m = JSON.parse(e.data);
      if (m.type !== "ready") return receive(m);
      ready = true;
      current = null;
      byId("talk").replaceChildren();
      show("waiting", "Waiting for the call…");
      resolve();
    };
    mine.onclose = (e) => {
      if (!ready) reject(new Error("The telephone of the sandbox does not answer."));
      if (mine !== socket) return;
      if (e.code === taken) return show("over", "The telephone is in another window.");
      show("waiting", "The connection to the telephone is lost. Trying again…");
      setTimeout(() => { if (mine === socket) hold(number).catch(() => {}); }, again);
    };
  });
}

export function leavePhone() {
  const old = socket;
  socket = null;
  current = null;
  sessionStorage.removeItem("elder");
  old?.close();
  byId("phone").hidden = true;
  byId("phone-hint").hidden = false;
  byId("phone-title").textContent = "The elder’s telephone";
}

// inHand tells whether one is the elder just now: then nothing takes the focus
// from the telephone.
export const inHand = () => !byId("phone").hidden && byId("phone").className !== "over";

function receive(m) {
  switch (m.type) {
    case "ringing": show("ringing", `It rings: ${m.from} is calling.`); byId("answer").focus(); break;
    case "connected": show("live", "On the line"); byId("say").focus(); break;
    case "word": speak(m.text); break;
    case "silence": pause(); break;
    case "clear": pause(); note("nAIber stops speaking"); break;
    case "said": talk("elder", m.text); break;
    case "announcement": pause(); talk("naiber", m.text); break;
    case "stream": if (m.text) note(m.text); break;
    case "closed": pause(); sessionStorage.removeItem("elder"); show("over", `The call is over${m.cause ? ` (${m.cause.replaceAll("_", " ")})` : ""}.`); break;
    case "error": note(m.text); break;
  }
}

function show(state, text) {
  byId("phone").className = state;
  byId("phone-state").textContent = text;
  byId("ring").hidden = state !== "ringing";
  for (const id of ["say-form", "keys", "live-row"]) byId(id).hidden = state !== "live";
}

function speak(text) {
  if (!current) current = talk("naiber speaking", "");
  current.textContent += (current.textContent ? " " : "") + text;
  scroll();
}

function pause() {
  current?.classList.remove("speaking");
  current = null;
}

function talk(kind, text) {
  const li = el("li", { class: kind }, text);
  byId("talk").append(li);
  scroll();
  return li;
}

const note = (text) => talk("note", text);
const scroll = () => { byId("talk").scrollTop = byId("talk").scrollHeight; };

byId("answer").onclick = () => send({ type: "answer" });
byId("reject").onclick = () => send({ type: "reject" });
byId("ignore").onclick = () => { send({ type: "ignore" }); show("waiting", "You let it ring."); };
byId("machine").onclick = () => send({ type: "machine", text: `This is ${name}'s answering machine. Please leave a message after the tone.` });
byId("hangup").onclick = () => send({ type: "hangup" });
byId("say-form").onsubmit = (e) => {
  e.preventDefault();
  const text = byId("say").value.trim();
  if (!text) return;
  byId("say").value = "";
  send({ type: "say", text });
};
for (const key of "123456789*0#") {
  byId("keys").append(el("button", { type: "button", onclick: () => { send({ type: "press", digits: key }); note(`you press ${key}`); } }, key));
}
