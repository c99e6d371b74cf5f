// The appliance helper: a conversation about what is broken, by text.
import { request, el, byId } from "./api.js";
import { toolNode } from "./appliancetools.js";

let shown = null; // the conversation on the page

// showAppliance fills the page with a conversation, or an empty one. One that is
// on the page already stays as it is.
export async function showAppliance(session) {
  if (shown && (session ? shown.session === session : shown.busy && !shown.session)) return;
  const now = shown = { session, busy: Boolean(session) };
  byId("appliance-log").replaceChildren();
  tell(now);
  loadPeople(now).catch((err) => tell(now, err.message));
  if (!session) return;
  try {
    const s = await request("GET", `/api/sessions/${encodeURIComponent(session)}`);
    if (shown !== now) return;
    now.person = s.userId;
    choose(now);
    const tools = s.messages.some((m) => m.toolData);
    s.messages.forEach((m, i) => add(m.role, m.content, tools || i < s.messages.length - 1 ? m.toolData : s.lastToolResult));
    now.busy = false;
    tell(now);
  } catch (err) {
    if (shown !== now) return;
    now.busy = false;
    if (err.status === 404) now.session = null;
    tell(now, err.status === 404 ? "This conversation is no longer kept. What you write now begins another one." : err.message);
  }
}

async function loadPeople(now) {
  const { items } = await request("GET", "/api/v1/people?limit=200");
  if (shown !== now) return;
  const [nobody] = byId("appliance-person").options;
  byId("appliance-person").replaceChildren(nobody, ...items.map((p) => el("option", { value: p.id }, p.name)));
  choose(now);
}

// choose shows whom the conversation is for: this is settled once it has begun.
function choose(now) {
  byId("appliance-person").value = now.person ?? "";
}

// tell says how the conversation on the page stands, and what went wrong.
function tell(now, error = "") {
  if (shown !== now) return;
  byId("appliance-state").textContent = now.busy ? "The helper is writing…" : "";
  byId("appliance-send").disabled = now.busy;
  byId("appliance-log").setAttribute("aria-busy", now.busy);
  byId("appliance-person").disabled = now.busy || Boolean(now.session);
  byId("appliance-error").textContent = error;
  byId("appliance-error").hidden = !error;
}

// add appends a message, with what a tool has found.
function add(role, text, tool) {
  const mine = role === "user";
  const node = el("article", { class: mine ? "mine" : "helper" },
    el("p", { class: "words" }, el("b", { class: "hint" }, mine ? "You: " : "Helper: "), text), tool && toolNode(tool));
  byId("appliance-log").append(node);
  node.scrollIntoView({ block: "nearest" });
  return node;
}

byId("appliance-form").onsubmit = async (event) => {
  event.preventDefault();
  const now = shown;
  const field = byId("appliance-text");
  const text = field.value.trim();
  if (!now || now.busy || !text) return;
  now.busy = true;
  if (!now.session) now.person = byId("appliance-person").value;
  if (now.unsent?.text !== text) now.unsent = { text, key: newKey() };
  field.value = "";
  const mine = add("user", text);
  tell(now);
  let error = "";
  try {
    const body = { message: text, ...(now.session ? { sessionId: now.session } : now.person && { userId: now.person }) };
    const reply = await request("POST", "/api/chat", body, { "Idempotency-Key": now.unsent.key });
    now.unsent = null;
    now.session = reply.sessionId;
    if (shown === now) add("assistant", reply.message, reply.toolData);
    if (shown === now && /^#\/appliance\b/.test(location.hash)) history.replaceState(null, "", `#/appliance/${encodeURIComponent(now.session)}`);
  } catch (err) {
    error = `This was not sent. ${err.message}`;
    mine.remove();
    if (shown === now && !field.value) field.value = text;
  }
  now.busy = false;
  tell(now, error);
};

// newKey names a message, so that it is taken once however often it is sent.
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
