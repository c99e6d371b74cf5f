// The REST API, as the page sees it. Every failure becomes an Error whose
// message may be shown to a person.

export async function request(method, path, body, headers) {
  return (await answer(method, path, body, headers)).data;
}

// requestTagged answers with what names its state, too, for If-Match.
export async function requestTagged(path) {
  const { data, res } = await answer("GET", path);
  return { data, tag: res.headers.get("ETag") };
}

// requestPage reads one page of a list whose answer is the list itself. next is
// the address of the page after it, or null.
export async function requestPage(path) {
  const { data, res } = await answer("GET", path);
  const named = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(res.headers.get("Link") ?? "");
  const next = named && new URL(named[1], new URL(path, location.href));
  return { data, next: next && next.origin === location.origin ? next.pathname + next.search : null };
}

async function answer(method, path, body, headers = {}) {
  let res;
  try {
    res = await fetch(path, {
      method,
      headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw away();
  }
  if (res.status === 204 || res.status === 202 && res.headers.get("Content-Length") === "0") return { data: null, res };
  const text = await res.text().catch(() => { throw away(); });
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* not JSON: told below */ }
  if (!res.ok) throw Object.assign(new Error(problem(res, data)), { status: res.status, errors: data?.errors });
  return { data, res };
}

const away = () => new Error("nAIber does not answer. Is it still running?");

function problem(res, p) {
  if (res.status === 401) return "Your session has ended. Load the page again.";
  if (!p) return `${res.status} ${res.statusText}`;
  let text = p.detail || p.title || res.statusText;
  for (const e of p.errors || []) text += ` ${e.location || ""}: ${e.message}`;
  return text;
}

let hide;
export function notice(err) {
  const box = document.getElementById("notice");
  box.textContent = err.message || String(err);
  box.hidden = false;
  clearTimeout(hide);
  hide = setTimeout(() => { box.hidden = true; }, 9000);
}

export function el(tag, attrs = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c != null));
  return e;
}

export const byId = (id) => document.getElementById(id);
