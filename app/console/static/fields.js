// What the API finds wrong with a form, told at the fields.
import { el } from "./api.js";

// showErrors marks the fields of a form that an error is about, and says the rest below
// it; without an error it takes all of that away. A field says in data-at where it is in a
// request, such as "body.window.from".
export function showErrors(form, err) {
  for (const p of form.querySelectorAll(".problem")) p.remove();
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
  if (!err) return;
  const left = [];
  let first = null;
  for (const [i, e] of (err.errors ?? []).entries()) {
    const input = [...form.querySelectorAll("[data-at]")].find((f) => f.dataset.at.split(" ").includes(e.location) && f.checkVisibility());
    if (!input) {
      left.push(`${e.location ?? ""} ${e.message}`.trim());
      continue;
    }
    const id = `${form.id}-problem-${i}`;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
    input.after(el("span", { class: "problem", id }, e.message));
    first ??= input;
  }
  if (!err.errors?.length) left.push(err.message);
  if (left.length) form.append(el("p", { class: "problem", role: "alert" }, left.join(" ")));
  first?.focus();
}
