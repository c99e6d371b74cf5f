// One alert: what was said, whom it was told, who sees to it, and what came of it.
import { request, el, byId } from "./api.js";
import { agoWords, awaited, channelWords, eventWords, momentWords, noticeWords, standing, tierBadge } from "./alertwords.js";
import { lookForAlerts, onAlerts } from "./alertwatch.js";
import { showErrors } from "./fields.js";

const sandbox = document.documentElement.dataset.sandbox === "true";
let shown = null; // the alert on the page: answers for another one come too late

// showAlert fills the page with an alert.
export async function showAlert(id) {
  const now = shown = { id };
  byId("alert-title").textContent = "Alert";
  byId("alert-parts").hidden = true;
  byId("alert-zone").textContent = `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}, where this browser is.`;
  for (const field of ["alert-by", "close-by"]) byId(field).value = sessionStorage.getItem("name") ?? "";
  for (const field of ["alert-note", "alert-outcome"]) byId(field).value = "";
  clearErrors();
  await load(now);
}

// leaveAlert is called when something else is shown.
export function leaveAlert() { shown = null; }

onAlerts((_, failed) => { if (shown && !failed) load(shown).catch(() => {}); }); // the next look may do better

async function load(now) {
  draw(now, await request("GET", `/api/v1/alerts/${encodeURIComponent(now.id)}`));
}

// draw shows an alert as it stands; what is typed stays.
async function draw(now, a) {
  if (shown !== now) return;
  byId("alert-age").textContent = `${momentWords(a.createdAt)}, ${agoWords(a.createdAt)}`;
  const said = JSON.stringify(a);
  if (now.said === said) return;
  now.said = said;
  byId("alert-parts").hidden = false;
  byId("alert-title").textContent = a.what;
  byId("alert-tier").replaceChildren(tierBadge(a.tier));
  const stands = standing(a);
  byId("alert-status").textContent = `${stands[0].toUpperCase()}${stands.slice(1).replace(/\.$/, "")}.`;
  byId("alert-quote").hidden = !a.quote;
  byId("alert-quote").textContent = a.quote;
  byId("alert-why").textContent = `${a.why || "nothing more is on record"}${a.unsure ? ". Who was on the line was not known" : ""}`;
  byId("alert-next").textContent = nextWords(a);
  byId("alert-notices").replaceChildren(...a.notices.map((n) => noticeItem(a, n)));
  if (!a.notices.length) byId("alert-notices").append(el("li", { class: "hint" }, "Nobody was told yet."));
  byId("alert-events").replaceChildren(...a.events.map((e) => el("li", {}, el("div", { class: "what" }, el("p", {}, eventWords(e)), el("div", { class: "hint" }, momentWords(e.at))))));
  byId("alert-acknowledge").hidden = !awaited(a);
  byId("alert-close").hidden = a.status === "closed";
  if (a.acknowledgedBy && !byId("close-by").value) byId("close-by").value = a.acknowledgedBy;
  await Promise.all([drawPerson(now, a), drawCall(now, a)]);
}

function nextWords(a) {
  if (a.status === "closed") return "Nobody else is told: it is closed.";
  if (a.status === "acknowledged") return `Nobody else is told: ${a.acknowledgedBy} sees to it since ${momentWords(a.acknowledgedAt)}.`;
  if (!a.nextAt) return "Nobody else is told any more. Somebody must see to it here.";
  const whom = (a.nextTo ?? []).map((t) => `${t.to} (${t.channels.map(channelWords).join(", ")})`).join(", ");
  return `At ${momentWords(a.nextAt)} nAIber tells ${whom || "nobody, as contacts are now"}, unless somebody acknowledges before.`;
}

function noticeItem(a, n) {
  const opened = a.events.filter((e) => e.kind === "opened" && e.by === n.to && e.detail === n.channel).map((e) => e.at);
  const answered = a.events.filter((e) => ["replied", "declined"].includes(e.kind) && e.by === n.to && n.channel === "sms").map((e) => e.at);
  const times = [["sent", n.sentAt], ["delivered", n.deliveredAt], ["link opened", opened[0]], ["replied", answered[0]]].filter(([, at]) => at).map(([what, at]) => `${what} ${momentWords(at)}`);
  const reach = sandbox && ["sms", "call"].includes(n.channel) ? [" · ", el("a", { href: `/sandbox/contact?number=${encodeURIComponent(n.address)}` }, "their telephone")] : [];
  return el("li", {}, el("div", { class: "what" },
    el("p", {}, el("b", {}, n.to), `, ${channelWords(n.channel)}: `, el("b", { class: n.status === "failed" ? "bad" : null }, noticeWords(n)), n.detail ? ` (${n.detail})` : ""),
    el("div", { class: "hint" }, [n.address, ...times].join(" · "), ...reach)));
}

// drawPerson says whom the alert is about, and when they were last known to be well.
async function drawPerson(now, a) {
  byId("alert-person").hidden = !a.userId;
  if (!a.userId) return;
  const p = await request("GET", `/api/v1/people/${encodeURIComponent(a.userId)}`);
  if (shown !== now) return;
  byId("alert-title").textContent = `${p.name}: ${a.what}`;
  const ok = p.lastKnownOk;
  byId("alert-person").replaceChildren(el("a", { href: `#/people/${p.id}` }, p.name), ", ", el("a", { href: `tel:${p.phone}` }, p.phone),
    ok ? ". Last known OK: " : ". Last known OK: no call on record.",
    ...(ok ? [el("a", { href: `#/calls/${ok.callId}` }, momentWords(ok.at))] : []));
}

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();

// drawCall leads to what was said in the call, where its words are on record.
async function drawCall(now, a) {
  const place = byId("alert-call");
  place.hidden = !a.callId;
  if (!a.callId) return;
  const address = `#/calls/${encodeURIComponent(a.callId)}`;
  place.replaceChildren(el("a", { href: address }, "The call"), a.turn ? `, turn ${a.turn}` : "");
  const { transcript } = await request("GET", `/api/v1/calls/${encodeURIComponent(a.callId)}`).catch(() => ({}));
  const quote = plain(a.quote);
  const line = quote ? (transcript ?? []).findLastIndex((l) => l.role === "user" && l.text && plain(l.text).includes(quote)) : -1;
  if (shown === now && line >= 0) place.append(" · ", el("a", { href: `${address}/lines/${line + 1}` }, "where it was said"));
}

// onAnswer sends a form, and shows how the alert stands then.
function onAnswer(form, verb, body) {
  byId(form).onsubmit = async (event) => {
    event.preventDefault();
    const now = shown, button = byId(form).querySelector("button");
    if (!now || button.disabled) return;
    button.disabled = true;
    clearErrors();
    try {
      const sent = body();
      const a = await request("POST", `/api/v1/alerts/${encodeURIComponent(now.id)}/${verb}`, sent);
      sessionStorage.setItem("name", sent.by); // for this tab: others may use this machine, too
      if (shown === now) byId("alert-title").focus(); // the form goes
      await draw(now, a);
      lookForAlerts();
    } catch (err) {
      if (err.errors?.length) showErrors(byId(form), err);
      else byId("alert-problem").textContent = err.message;
      if (err.status === 409) lookForAlerts(); // somebody else was first
    } finally {
      button.disabled = false;
    }
  };
}

function clearErrors() {
  byId("alert-problem").textContent = "";
  for (const form of ["alert-acknowledge", "alert-close"]) showErrors(byId(form));
}

const trimmed = (id) => byId(id).value.trim();
onAnswer("alert-acknowledge", "acknowledge", () => ({ by: trimmed("alert-by"), ...(trimmed("alert-note") && { note: trimmed("alert-note") }) }));
onAnswer("alert-close", "close", () => ({ by: trimmed("close-by"), outcome: trimmed("alert-outcome") }));
