// The forms of a person's memory: searching, setting limits and forgetting.
import { request, notice, byId } from "./api.js";
import { current, gone, loadLimits, loadTurns } from "./memory.js";
import { askDay, askTopic } from "./memorywords.js";
import { startOfDay } from "./zone.js";

// onSubmit does what a form is for, once at a time.
function onSubmit(form, act) {
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const now = current();
    if (busy || !now.person) return;
    busy = true;
    try {
      await act(now);
    } catch (err) {
      notice(err);
    } finally {
      busy = false;
    }
  });
}

async function forget(now, input, what) {
  await gone(now, "POST", "forget", { body: { ...what, verify: true } });
  if (current() === now) input.value = "";
}

// named tells whether the person's name is typed: everything is not forgotten by a slip.
const named = (now) => Boolean(now.person) && byId("forget-all").value.trim() === now.person.name.trim();
const guard = () => { byId("forget-all-button").disabled = !named(current()); };

onSubmit(byId("memory-search"), (now) => loadTurns(now));
onSubmit(byId("forget-topic-form"), async (now) => {
  const topic = byId("forget-topic").value.trim();
  if (confirm(askTopic(topic, now.person.name))) await forget(now, byId("forget-topic"), { topic });
});
onSubmit(byId("forget-day-form"), async (now) => {
  const day = byId("forget-day").value;
  if (confirm(askDay(day, now.person.name))) await forget(now, byId("forget-day"), { day });
});
onSubmit(byId("forget-all-form"), async (now) => {
  if (!named(now)) return;
  await forget(now, byId("forget-all"), { all: true });
  guard();
});
onSubmit(byId("limit-form"), async (now) => {
  const rule = byId("limit-rule").value;
  const body = { topic: byId("limit-topic").value.trim(), rule, by: byId("limit-by").value.trim(), how: "in the console" };
  if (rule === "cool_down") body.until = startOfDay(byId("limit-until").value, now.zone).toISOString();
  await request("POST", `${now.base}/limits`, body);
  if (current() !== now) return;
  byId("limit-topic").value = "";
  await loadLimits(now);
});

byId("forget-all").addEventListener("input", guard);
byId("limit-rule").addEventListener("change", () => {
  const ends = byId("limit-rule").value === "cool_down";
  byId("limit-until-label").hidden = !ends;
  byId("limit-until").required = ends;
});
