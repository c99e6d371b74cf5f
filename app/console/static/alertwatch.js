// The alerts that nobody has closed, asked for as long as a page of the console is open.
import { request } from "./api.js";

const every = 5000; // milliseconds
const most = 200;
const told = new Set();
let asked = 0; // the newest request: answers to an earlier one come too late

// onAlerts has f called with what stands, or with why that is not known.
export function onAlerts(f) { told.add(f); }

// lookForAlerts asks now.
export async function lookForAlerts() {
  const mine = ++asked;
  let items = null, failed = null;
  try {
    ({ items } = await request("GET", `/api/v1/alerts/standing?limit=${most}`));
  } catch (err) {
    failed = err;
  }
  if (mine !== asked) return;
  for (const f of told) f(items, failed);
}

// watchAlerts begins to look.
export function watchAlerts() {
  lookForAlerts();
  setInterval(lookForAlerts, every);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) lookForAlerts(); });
}
