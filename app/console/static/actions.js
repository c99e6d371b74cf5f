// What the care council proposes. Nothing of it happens unless somebody confirms it.
import { request, notice, el, byId } from "./api.js";
import { kindWords } from "./councilwords.js";

// showActions lists a discussion's actions; cited makes nodes of a text.
export function showActions(now, cited) {
  const { actions } = now.state;
  now.items ??= new Map(); // by id: what is typed into one stays
  byId("actions-part").hidden = !actions.size;
  byId("decided-by-label").hidden = ![...actions.values()].some((a) => a.status === "proposed");
  for (const a of actions.values()) {
    const before = now.items.get(a.id);
    if (before?.status === a.status) continue;
    const item = actionItem(now, a, cited);
    now.items.set(a.id, { status: a.status, item });
  }
  const items = [...now.items.values()].map((i) => i.item);
  const list = byId("actions-list");
  if (items.length !== list.childElementCount || items.some((item, i) => list.children[i] !== item)) list.replaceChildren(...items);
}

function actionItem(now, a, cited) {
  const what = el("div", { class: "what" }, el("p", {}, ...cited(a.text)), el("div", { class: "hint" }, kindWords(a)));
  if (a.status !== "proposed") {
    what.append(el("p", {}, el("b", {}, [a.status, a.by ? `by ${a.by}` : null].filter(Boolean).join(" ")), a.note ? `: ${a.note}` : null));
    return el("li", { class: a.status === "dismissed" ? "over" : null, tabindex: -1 }, what);
  }
  const note = el("input", { maxlength: 500, autocomplete: "off", placeholder: "Note, if you like", "aria-label": `Note: ${a.text.slice(0, 80)}` });
  const buttons = [["Confirm", "confirm", "primary"], ["Dismiss", "dismiss", null]].map(([word, verb, kind]) => {
    const button = el("button", { class: kind, "aria-label": `${word}: ${a.text.slice(0, 80)}` }, word);
    button.onclick = () => decide(verb);
    return button;
  });

  async function decide(verb) {
    const by = byId("decided-by");
    if (!by.reportValidity()) return;
    for (const b of buttons) b.disabled = true; // once decided, it stays decided
    try {
      const wish = { by: by.value.trim(), ...(note.value.trim() && { note: note.value.trim() }) };
      show([await request("POST", `${now.base}/actions/${encodeURIComponent(a.id)}/${verb}`, wish)]);
    } catch (err) {
      notice(err);
      if (err.status === 409) await request("GET", now.base).then((d) => show(d.actions)).catch(notice); // somebody else was first
      for (const b of buttons) b.disabled = false;
    }
  }

  function show(decided) {
    for (const d of decided) now.state.actions.set(d.id, d);
    if (!item.isConnected) return; // something else is on the page
    showActions(now, cited);
    now.items.get(a.id).item.focus(); // what was pressed may be gone
  }
  const item = el("li", {}, what, note, ...buttons);
  return item;
}
