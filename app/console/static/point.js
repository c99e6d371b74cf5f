// What a link leads to within a page.

let pointed = null;

// point marks an element, in place of the one before, and brings it into view.
export function point(element) {
  pointed?.classList.remove("pointed");
  pointed = element;
  element.classList.add("pointed");
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "center" });
}
