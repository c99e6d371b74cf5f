// Where a person lives it may be another day than where the browser is. Their
// pages show their times, as days are theirs when a day is forgotten.

// zoneOf is a person's time zone, or undefined, which is the browser's own, where
// the browser does not know theirs.
export function zoneOf(person) {
  try {
    new Date().toLocaleString([], { timeZone: person.timezone });
    return person.timezone || undefined;
  } catch {
    return undefined;
  }
}

export const zoneWords = (zone) => (zone ? `Times are those of ${zone}.` : "Times are those of this browser.");

// startOfDay is when a day, such as 2026-11-20, begins in a zone.
export function startOfDay(day, zone) {
  const named = Date.parse(`${day}T00:00Z`);
  let at = named;
  for (let i = 0; i < 2; i++) at += named - wall(at, zone); // the second time across a change of the clocks
  return new Date(at);
}

// wall is what the clocks of a zone show, as if it were UTC. Swedish writes times
// as they are read again.
const wall = (at, timeZone) => Date.parse(`${new Date(at).toLocaleString("sv-SE", { timeZone }).replace(" ", "T")}Z`);

// momentIn is a time of a zone, which it names; of the browser's own, where none is given.
export const momentIn = (time, timeZone) => new Date(time).toLocaleString([], {
  weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZoneName: "short", timeZone,
});
