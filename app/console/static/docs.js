// The API's reference, drawn from its own description.
import { el, byId } from "./api.js";

const spec = await (await fetch("/openapi.json")).json();
byId("about").textContent = spec.info.description;

const deref = (s) => (s && s.$ref ? s.$ref.split("/").slice(1).reduce((o, k) => o[k], spec) : s);

function typeOf(schema) {
  const s = deref(schema) || {};
  const type = Array.isArray(s.type) ? s.type.filter((t) => t !== "null").join(" | ") : s.type;
  if (type === "array") return `list of ${typeOf(s.items)}`;
  if (s.enum) return s.enum.join(" | ");
  return (type || "any") + (s.format ? ` (${s.format})` : "");
}

function example(schema, depth = 0) {
  const s = deref(schema) || {};
  const type = Array.isArray(s.type) ? s.type[0] : s.type;
  if (s.examples?.length) return s.examples[0];
  if (s.enum) return s.enum[0];
  if (type === "object" && depth < 4) return Object.fromEntries(Object.entries(s.properties || {}).map(([k, v]) => [k, example(v, depth + 1)]));
  if (type === "array") return depth < 4 ? [example(s.items, depth + 1)] : [];
  return { string: s.format === "date-time" ? "2026-03-02T10:30:00Z" : "text", integer: 1, number: 1.5, boolean: true }[type] ?? null;
}

function fields(title, rows) {
  if (!rows.length) return null;
  return el("div", {}, el("h3", {}, title), el("table", {}, ...rows.map(([name, type, doc, must]) =>
    el("tr", {}, el("td", {}, el("code", {}, name), must ? " *" : ""), el("td", {}, type), el("td", {}, doc || "")))));
}

function body(title, content) {
  const schema = Object.values(content || {})[0]?.schema;
  if (!schema) return null;
  const s = deref(schema);
  const rows = Object.entries(s.properties || {}).map(([k, v]) => [k, typeOf(v), deref(v).description || v.description, (s.required || []).includes(k)]);
  return el("div", {}, fields(title, rows), el("pre", {}, JSON.stringify(example(schema), null, 2)));
}

function operation(path, method, op) {
  const params = (op.parameters || []).map((p) => [p.name, `${typeOf(p.schema)}, in ${p.in}`, p.description, p.required]);
  const parts = [op.description && el("p", {}, op.description), fields("Parameters", params), op.requestBody && body("Request", op.requestBody.content)];
  for (const [code, r] of Object.entries(op.responses || {})) {
    if (code !== "default") parts.push(body(`Answer ${code}`, r.content));
  }
  return el("details", {}, el("summary", {}, el("span", { class: `method ${method}` }, method.toUpperCase()), el("code", {}, path), " ", op.summary || ""), ...parts.filter(Boolean));
}

const groups = new Map();
for (const [path, methods] of Object.entries(spec.paths)) {
  for (const [method, op] of Object.entries(methods)) {
    const tag = op.tags?.[0] || "other";
    if (!groups.has(tag)) groups.set(tag, []);
    groups.get(tag).push(operation(path, method, op));
  }
}
byId("operations").replaceChildren(...[...groups].flatMap(([tag, ops]) => [el("h2", {}, tag), ...ops]));
