// Whether this browser can draw the app.

/** Tries to make a WebGL2 context and gives it back at once: browsers allow few of them. */
export function hasWebGl2() {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
