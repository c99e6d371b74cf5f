// The appliance helper: a conversation about what is broken, by text.
import { request, el, byId } from "./api.js";
import { toolNode } from "./appliancetools.js";

let shown = null; // the conversation on the page

// showAppliance fills the page with a conversation, or an empty one. One that is
// on the page already stays as it is.
export async function showAppliance(session) {
  if (shown && (session ? shown.session === session : shown.busy && shown.fresh)) return;
  const now = shown = { session, fresh: !session, busy: Boolean(session), seen: 0 };
  byId("appliance-log").replaceChildren();
  tell(now);
  loadPeople(now).catch((err) => tell(now, err.message));
  if (!session) return;
  let error = "";
  try {
    const s = await request("GET", address(session));
    if (shown !== now) return;
    now.person = s.userId;
    now.seen = s.messages.length;
    for (const m of s.messages) add(m.role, m.content, m.toolData);
    if (s.callId || s.archivedAt) error = over(now, s.callId ? "This was a telephone call." : "This conversation is over.");
  } catch (err) {
    error = err.status === 404 ? over(now, "This conversation is not kept.") : err.message;
  }
  now.busy = false;
  choose(now);
  tell(now, error);
}

const address = (session) => `/api/sessions/${encodeURIComponent(session)}`;

// over has the next message begin another conversation.
function over(now, why) {
  now.session = null;
  now.seen = 0;
  return `${why} What you write now begins another one.`;
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
  if (shown === now) byId("appliance-person").value = now.person ?? "";
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
  now.person = byId("appliance-person").value;
  now.session ??= newSession();
  field.value = "";
  const mine = add("user", text);
  tell(now);
  let error = "";
  try {
    const reply = await kept(now, text)
      ?? await request("POST", "/api/chat", { message: text, sessionId: now.session, ...(now.person && { userId: now.person }) });
    now.unsure = now.fresh = false;
    now.seen += 2;
    if (shown === now) {
      add("assistant", reply.message, reply.toolData);
      if (/^#\/appliance\b/.test(location.hash)) history.replaceState(null, "", `#/appliance/${encodeURIComponent(now.session)}`);
    }
  } catch (err) {
    now.unsure = true;
    error = err.status ? `This was not sent. ${err.message}` : err.message;
    mine.remove();
    if (shown === now && !field.value) field.value = text;
  }
  now.busy = false;
  tell(now, error);
};

// kept returns the reply to a message that had come through though its reply did not,
// or null.
async function kept(now, text) {
  if (!now.unsure) return null;
  let messages = [];
  try {
    ({ messages } = await request("GET", address(now.session)));
  } catch (err) {
    if (err.status !== 404) throw err;
  }
  const [mine, reply] = messages.slice(now.seen);
  if (mine?.content === text && reply) return { message: reply.content, toolData: reply.toolData };
  now.seen = messages.filter((m) => m.role !== "user").length * 2;
  return null;
}

// newSession names a conversation, before anything of it has come through.
const newSession = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
