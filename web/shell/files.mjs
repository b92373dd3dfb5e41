// Files from the visitor: dropped on the page or picked. The app gets a name and the bytes; what they mean is its business.

import { whenReady } from './loading.mjs';
import { notify } from './notice.mjs';

const MOST_BYTES = 256 * 2 ** 20;
const picker = document.getElementById('file-picker');
const veil = document.getElementById('drop-veil');

/** Opens the browser's file dialogue; call it from a click or a key. */
export function pickFile() {
  picker.click();
}

/** Takes files that are dropped anywhere on the page, or picked. */
export function watchFiles() {
  picker.addEventListener('change', () => {
    if (picker.files.length > 0) open(picker.files[0]);
    // So that the same file can be picked again.
    picker.value = '';
  });
  addEventListener('dragenter', onDrag);
  addEventListener('dragover', onDrag);
  addEventListener('dragleave', (event) => {
    // Without a related target the pointer has left the window; else it has only crossed to another element.
    if (event.relatedTarget === null) veil.hidden = true;
  });
  addEventListener('drop', onDrop);
}

function onDrag(event) {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
  veil.hidden = false;
}

function onDrop(event) {
  veil.hidden = true;
  if (!carriesFiles(event)) return;
  event.preventDefault();
  const { files } = event.dataTransfer;
  if (files.length > 1) notify(`One file at a time: of ${files.length}, only ${files[0].name} is read.`);
  if (files.length > 0) open(files[0]);
}

function carriesFiles(event) {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

async function open(file) {
  if (file.size > MOST_BYTES) {
    const size = Math.ceil(file.size / 2 ** 20);
    notify(`${file.name} has ${size} MB, more than the 256 MB that a page can take; give it to the command line instead.`);
    return;
  }
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) {
    notify(`${file.name} could not be read; it may be a folder, or the browser may not open it.`);
    return;
  }
  await whenReady;
  window.wasmBindings.switchyard_open_file(file.name, new Uint8Array(bytes));
}
