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

// everybody reads all people.
async function everybody() {
  const all = [];
  for (let cursor = ""; cursor !== undefined;) {
    const page = await request("GET", `/api/v1/people?${new URLSearchParams({ limit: 200, ...(cursor && { cursor }) })}`);
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all;
}

// fillPeople offers everybody in a choice, after what stands first there, and returns them.
export async function fillPeople(select, chosen) {
  const all = await everybody();
  if (chosen && !all.some((p) => p.id === chosen)) all.push(await personOf(chosen)); // or nobody has this id
  select.replaceChildren(select.options[0], ...all.map((p) => new Option(p.name, p.id)));
  select.value = chosen ?? "";
  return all;
}
