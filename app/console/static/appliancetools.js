// What the appliance helper's tools have found, as nodes. Nothing is loaded from
// another host before somebody asks for it.
import { el } from "./api.js";

const shows = {
  diagnose_repair: ({ suggestedParts: parts = [] }) => parts.map((p) => el("div", { class: "part", role: "group", "aria-label": p.name },
    outside("image", p.imageUrl, `Picture of ${p.name}`, "Show picture") ?? el("div", { class: "outside image hint" }, "No picture"),
    el("div", {}, ...heading(p), p.description ? el("p", {}, p.description) : null,
      p.matchedSymptoms?.length ? el("p", {}, "Helps with: ", ...p.matchedSymptoms.flatMap((s) => [el("span", { class: "matched" }, s), " "])) : null))),
  install_instruction: (p) => [...heading(p),
    outside("video", p.videoUrl, `Video: ${p.name}`, "Play the video here") ?? el("p", { class: "hint" }, "The catalogue has no video of it."),
    p.steps?.length ? el("ol", { class: "steps" }, ...p.steps.map((s) => el("li", {}, s))) : null],
  check_compatibility: ({ compatible, partNumber, model }) => [
    el("p", { class: compatible ? "verdict yes" : "verdict no" }, el("span", { "aria-hidden": "true" }, compatible ? "✓ " : "✗ "),
      compatible ? `Yes, ${partNumber} fits ${model}.` : `No, ${partNumber} does not fit ${model}.`)],
  email_summary: ({ success, to, mailId }) => [
    el("p", { class: success ? "verdict yes" : "verdict no" }, el("span", { "aria-hidden": "true" }, success ? "✓ " : "✗ "),
      success ? `The summary goes to ${to}.` : `The summary did not go to ${to}.`),
    mailId && onPress("Show the e-mail", "mail", () => mailFrame(mailId))],
};

// toolNode shows what a tool has found, or what went wrong.
export function toolNode({ toolName, data }) {
  if (!data) return null;
  const nodes = data.error ? [el("p", { class: "flagged" }, data.error)] : shows[toolName]?.(data) ?? [];
  return el("div", { class: "found" }, ...nodes.filter(Boolean));
}

const heading = ({ name, partNumber, price }) => [
  el("h4", {}, name, " ", el("span", { class: "hint" }, partNumber)),
  el("p", { class: "price" }, price ? price.toLocaleString("en-US", { style: "currency", currency: "USD" }) : "Price not known")];

// outside offers what the catalogue links to at another host, and null where
// there is no safe link. The page that shows it allows that one host alone.
function outside(kind, url, title, words) {
  let host;
  try {
    const link = new URL(url);
    if (link.protocol !== "https:") return null;
    host = link.host;
  } catch { return null; }
  const src = `/console/frame/${kind}?${new URLSearchParams({ url, title })}`;
  const node = onPress(words, `outside ${kind}`, () => el("iframe", { src, title, allow: "fullscreen" }));
  node.append(el("p", { class: "hint" }, `from ${host}`));
  if (kind === "video") node.append(el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Open it in a new tab"));
  return node;
}

// onPress is a button that what it makes takes the place of.
function onPress(words, name, make) {
  const button = el("button", { type: "button", onclick: () => {
    const made = make();
    button.replaceWith(made);
    made.focus();
  } }, words);
  return el("div", { class: name }, button);
}

// mailFrame shows an e-mail as it looks to who gets it, without its scripts and links.
export const mailFrame = (id) => el("iframe", { src: `/console/frame/mail?${new URLSearchParams({ id })}`, title: "The e-mail", sandbox: "" });
