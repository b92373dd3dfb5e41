// Keys and focus: what belongs to the browser or the page stays there, although the app's window library would take it.

/** With these, text fields of the app copy, cut, paste, select all and undo. */
const EDITING = new Set(['a', 'c', 'v', 'x', 'z']);

/** Whether a key is the browser's: Tab, the function keys, its shortcuts. */
export function isBrowserKey(event) {
  if (event.key === 'Tab' || /^F\d{1,2}$/.test(event.key)) return true;
  // Some layouts write letters with AltGr, which also counts as Ctrl + Alt.
  if (event.getModifierState('AltGraph')) return false;
  if (event.ctrlKey || event.metaKey) return !isModifier(event.key) && !EDITING.has(event.key.toLowerCase());
  return event.altKey && !isModifier(event.key);
}

/** Hides the browser's keys from the app, which would call preventDefault on them. */
export function keepBrowserKeys() {
  for (const kind of ['keydown', 'keyup']) {
    addEventListener(kind, (event) => isBrowserKey(event) && event.stopImmediatePropagation(), true);
  }
}

/** A focused canvas must not scroll the page that it stands in. */
export function keepPageStill(canvas) {
  const focus = canvas.focus.bind(canvas);
  canvas.focus = () => focus({ preventScroll: true });
}

function isModifier(key) {
  return ['Control', 'Meta', 'Alt', 'Shift'].includes(key);
}
