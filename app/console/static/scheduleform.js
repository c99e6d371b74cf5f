// The forms of a person's schedules: adding and changing one, and pausing all calls.
import { request, requestTagged, byId } from "./api.js";
import { showErrors } from "./fields.js";
import { callWords } from "./schedulewords.js";
import { startOfDay } from "./zone.js";

const days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
let page; // that the forms are on: what it shows, how it is read again, and where it says what came of a press
let editing = null; // the schedule that is being changed, with what names its state

const field = (name) => byId("schedule-form").elements[name];

// formsOf makes the forms those of a page.
export function formsOf(of) {
  page = of;
}

// newSchedule empties the form for another schedule.
export function newSchedule() {
  editing = null;
  byId("schedule-form").reset();
  showErrors(byId("schedule-form"));
  showErrors(byId("pause-form"));
  byId("schedule-form-title").textContent = "Add a schedule";
  byId("schedule-keep").textContent = "Add";
  byId("schedule-cancel").hidden = true;
  byId("schedule-advanced").open = false;
}

// editSchedule fills the form with a schedule.
export async function editSchedule(now, id) {
  const { data: s, tag } = await requestTagged(`/api/v1/schedules/${encodeURIComponent(id)}`);
  if (page.current() !== now) return;
  newSchedule();
  editing = { id, tag };
  const simple = /^FREQ=(?:DAILY|WEEKLY;BYDAY=([A-Z,]+))$/.exec(s.rrule);
  const on = simple ? simple[1]?.split(",") ?? days : [];
  for (const d of days) field(d).checked = on.includes(d);
  field("rrule").value = simple ? "" : s.rrule;
  if (![...field("callType").options].some((o) => o.value === s.callType)) field("callType").add(new Option(callWords(s.callType), s.callType)); // it was offered once
  for (const [name, value] of Object.entries({
    callType: s.callType, from: s.window.from, to: s.window.to, essential: String(s.essential), jitter: s.jitterMinutes, grace: s.graceMinutes, starts: s.startsOn, ends: s.endsOn ?? "", note: s.note ?? "",
  })) field(name).value = value;
  byId("schedule-advanced").open = !simple;
  byId("schedule-form-title").textContent = `Change the schedule: ${s.words}`;
  byId("schedule-keep").textContent = "Keep";
  byId("schedule-cancel").hidden = false;
  byId("schedule-form-title").focus();
}

// rule is what the form says of days.
function rule() {
  const written = field("rrule").value.trim();
  const on = days.filter((d) => field(d).checked);
  return written || (on.length === 7 ? "FREQ=DAILY" : on.length ? `FREQ=WEEKLY;BYDAY=${on.join(",")}` : "");
}

// wish is what is sent: a change takes away what is empty.
function wish() {
  const text = (name) => field(name).value.trim();
  const number = (name) => (text(name) ? Number(text(name)) : null);
  const body = {
    callType: text("callType"), rrule: rule(), window: { from: text("from"), to: text("to") }, essential: text("essential") ? text("essential") === "true" : null,
    jitterMinutes: number("jitter"), graceMinutes: number("grace"), startsOn: text("starts") || null, endsOn: text("ends") || null, note: text("note") || null,
  };
  return editing ? body : Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

// onSubmit does what a form is for, once at a time, and says what is wrong with it.
function onSubmit(form, act) {
  let busy = false;
  byId(form).onsubmit = async (event) => {
    event.preventDefault();
    const now = page.current();
    if (busy || !now?.id) return;
    busy = true;
    showErrors(byId(form));
    try {
      const words = await act(now);
      if (page.current() !== now) return;
      await page.load(now);
      page.told(words);
    } catch (err) {
      showErrors(byId(form), err);
    } finally {
      busy = false;
    }
  };
}

onSubmit("schedule-form", async (now) => {
  const words = editing ? "The schedule is changed." : "The schedule is added.";
  if (editing) await request("PATCH", `/api/v1/schedules/${encodeURIComponent(editing.id)}`, wish(), { "If-Match": editing.tag });
  else await request("POST", `/api/v1/people/${encodeURIComponent(now.id)}/schedules`, wish());
  newSchedule();
  return words;
});

onSubmit("pause-form", async (now) => {
  const until = byId("pause-until").value, reason = byId("pause-reason").value.trim();
  await request("POST", `/api/v1/people/${encodeURIComponent(now.id)}/pauses`, {
    ...(byId("pause-indefinite").checked && { indefinite: true }), ...(until && { endsAt: startOfDay(until, now.zone).toISOString() }), ...(reason && { reason }),
  });
  byId("pause-form").reset();
  return "All calls are paused.";
});

byId("schedule-cancel").onclick = () => { newSchedule(); byId("schedule-form-title").focus(); };
