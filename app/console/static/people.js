// People by their ids, each asked for once.
import { request } from "./api.js";

const known = new Map();

export function personOf(id) {
  if (!known.has(id)) {
    const asked = request("GET", `/api/v1/people/${encodeURIComponent(id)}`);
    known.set(id, asked);
    asked.catch(() => known.delete(id)); // it is asked for again
  }
  return known.get(id);
}

// fillPeople offers everybody in a choice, after what stands first there.
export async function fillPeople(select, chosen) {
  const { items } = await request("GET", "/api/v1/people?limit=200");
  if (chosen && !items.some((p) => p.id === chosen)) items.push(await personOf(chosen));
  select.replaceChildren(select.options[0], ...items.map((p) => new Option(p.name, p.id)));
  select.value = chosen ?? "";
}
