// The mailbox: the e-mails that were sent, or that a sandbox has caught.
import { request, notice, el, byId } from "./api.js";
import { mailFrame } from "./appliancetools.js";
import { given, timeWords } from "./words.js";

const pageSize = 20;
const sandbox = document.documentElement.dataset.sandbox === "true";
let shown = null; // what the page was asked for: answers to an earlier request come too late

// showMails fills the page with the list of e-mails, and one of them above it.
export async function showMails(id) {
  const now = shown = {};
  byId("mail").hidden = true;
  byId("more-mails").hidden = true;
  byId("mails-list").replaceChildren();
  await Promise.all([id && loadMail(now, id), loadList(now)]);
}

async function loadMail(now, id) {
  const m = await request("GET", `/api/v1/mails/${encodeURIComponent(id)}`);
  if (shown !== now) return;
  byId("mail-subject").textContent = m.subject;
  byId("mail-about").textContent = about(m);
  byId("mail-text").textContent = m.text;
  byId("mail-shown").replaceChildren(mailFrame(id));
  byId("mail").hidden = false;
}

async function loadList(now, cursor) {
  const { items, nextCursor } = await request("GET", `/api/v1/mails?${new URLSearchParams({ limit: pageSize, ...(cursor && { cursor }) })}`);
  if (shown !== now) return;
  const list = byId("mails-list");
  list.append(...(items ?? []).map((m) => el("li", {}, el("div", { class: "what" },
    el("a", { href: `#/mails/${encodeURIComponent(m.id)}` }, m.subject), el("div", { class: "hint" }, about(m))))));
  if (!list.childElementCount) list.append(el("li", { class: "hint" }, "There are no e-mails yet."));
  const more = byId("more-mails");
  more.hidden = !nextCursor;
  more.onclick = () => { more.hidden = true; loadList(now, nextCursor).catch(notice); };
}

const about = (m) => [`to ${m.to}`, timeWords(m.createdAt),
  given(m.sentAt) ? `${sandbox ? "caught" : "sent"} ${timeWords(m.sentAt)}` : m.error ? `not sent: ${m.error}` : "not sent yet"].join(" · ");
