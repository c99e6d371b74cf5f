// What can be made to go wrong in the sandbox, one thing at a time.
import { request, notice, el, byId } from "./api.js";

const units = { count: "times", ms: "ms", status: "status" };

export async function showFaults() {
  draw(await request("GET", "/sandbox/faults"));
}

function draw(answer) {
  byId("faults").replaceChildren(...(answer.faults || answer).map(row));
}

function row(f) {
  const change = async (value) => {
    try { draw(await request("PUT", "/sandbox/faults", { [f.name]: value })); }
    catch (err) { notice(err); showFaults().catch(notice); }
  };
  const title = el("label", { for: `fault-${f.name}` }, `${f.where}: ${f.name.replaceAll("_", " ")}`);
  const about = el("p", {}, f.description);
  if (f.kind === "action") {
    return el("div", { class: "fault" }, el("span"), title, el("button", { id: `fault-${f.name}`, onclick: () => change(true) }, "Do it"), about);
  }
  const value = el("input", { type: "text", value: f.value || f.default, "aria-label": units[f.kind] || "", hidden: f.kind === "switch" });
  const box = el("input", { type: "checkbox", id: `fault-${f.name}` });
  box.checked = f.on;
  box.onchange = () => change(box.checked ? (f.kind === "switch" ? true : value.value) : null);
  value.onchange = () => box.checked && change(value.value);
  return el("div", { class: "fault" }, box, title, el("span", {}, value, f.kind === "switch" ? "" : ` ${units[f.kind] || ""}`), about);
}
