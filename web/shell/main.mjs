// The page's own script: everything around the canvas. It runs before the app is fetched and offers the app,
// the loader and the tests one object, `window.switchyardShell`.

import { fail, watchForFailures } from './failure.mjs';
import { watchFiles, pickFile } from './files.mjs';
import { keepBrowserKeys, keepPageStill } from './keys.mjs';
import * as loading from './loading.mjs';
import { hasWebGl2 } from './webgl.mjs';

/** Whether the app can run here; if not, the page has said so. */
function mayStart() {
  if (!hasWebGl2()) fail('no-webgl2');
  return !('failed' in document.documentElement.dataset);
}

window.switchyardShell = { fail, loading, mayStart, pickFile };

/** The keys work at once, but a page that frames this one keeps its focus. */
function takeKeys() {
  if (window.top === window && document.activeElement === document.body) canvas.focus();
}

const canvas = document.getElementById('switchyard-canvas');
watchForFailures(canvas);
keepBrowserKeys();
keepPageStill(canvas);
watchFiles();
loading.whenReady.then(takeKeys);
