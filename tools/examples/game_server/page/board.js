// Helpers for drawing both boards.

/** Creates an SVG element and appends it to `parent`. */
function svg(parent, name, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
}

/** Replaces the page's board with an empty drawing. */
function newDrawing(width, height, label) {
  const drawing = svg(null, "svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label});
  const gloss = svg(svg(drawing, "defs"), "radialGradient", {id: "gloss", cx: 0.34, cy: 0.28, r: 0.75});
  svg(gloss, "stop", {offset: 0, "stop-color": "#fff", "stop-opacity": 0.42});
  svg(gloss, "stop", {offset: 0.55, "stop-color": "#fff", "stop-opacity": 0});
  svg(gloss, "stop", {offset: 1, "stop-color": "#000", "stop-opacity": 0.22});
  document.getElementById("board").replaceChildren(drawing);
  return drawing;
}

/** Calls `act` on a click, a touch, Enter or Space while the element is pressable. */
function onPress(element, act) {
  element.addEventListener("click", () => element.classList.contains("on") && act());
  element.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || !element.classList.contains("on")) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}

/** Makes an element pressable and reachable with Tab, or an image. `label` describes its contents. */
function setPressable(element, on, label) {
  element.classList.toggle("on", on);
  element.setAttribute("role", on ? "button" : "img");
  element.setAttribute("aria-label", label);
  if (on) element.setAttribute("tabindex", "0");
  else element.removeAttribute("tabindex");
}

/** Moves the focus among the pressable elements. */
function moveFocus(elements, by) {
  const on = elements.filter((element) => element.classList.contains("on"));
  if (on.length === 0) return;
  const now = on.indexOf(document.activeElement);
  const next = now < 0 ? (by > 0 ? 0 : on.length - 1) : (now + by + on.length) % on.length;
  on[next].focus();
}
