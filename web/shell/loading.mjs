// The time until the app runs: bytes of the module while it arrives, then "starting" until the app shows its first picture
// and sets `data-ready="1"` on the root element.

const bar = document.getElementById('progress');
const text = document.getElementById('progress-text');
const MEGABYTE = 1e6;

/** `current` of `total` bytes have arrived, both as they are after decompression. */
export function progress({ current, total }) {
  bar.value = total > 0 ? current / total : 0;
  text.textContent = `Loading ${(current / MEGABYTE).toFixed(1)} of ${(total / MEGABYTE).toFixed(1)} MB`;
}

/** All is there; what is left can't be measured. */
export function starting() {
  bar.removeAttribute('value');
  text.textContent = 'Starting';
}

/** Settles when the app has drawn its first picture. */
export const whenReady = new Promise((resolve) => {
  const root = document.documentElement;
  const observer = new MutationObserver(() => {
    if (root.dataset.ready !== '1') return;
    observer.disconnect();
    resolve();
  });
  observer.observe(root, { attributeFilter: ['data-ready'] });
});
