// The page that says what went wrong: no WebGL2, a lost context, a panic, a start that failed.
// The first failure counts; what follows from it goes into the report.

import { composeReport, copyText } from './report.mjs';

const PAGES = {
  'no-webgl2': {
    title: 'This browser can’t draw the cluster: it has no WebGL2.',
    advice: 'A current Firefox, Chrome, Edge or Safari has it; if yours is one, hardware acceleration may be switched off in its settings.',
  },
  'context-lost': {
    title: 'The graphics card took the picture away.',
    advice: 'The browser lost its WebGL context, as it may after sleep, a driver’s restart, or with many such pages open. Reload to go on.',
  },
  panic: {
    title: 'Switchyard has run into a fault of its own and stopped.',
    advice: 'Reload to start afresh. The report says where it happened; it stays with you unless you send it.',
  },
  start: {
    title: 'Switchyard could not be started.',
    advice: 'A file did not arrive whole, or the browser refused it. Reload to try again.',
  },
};

const element = (id) => document.getElementById(id);
const details = [];

/** Shows the failure page of this kind; `detail` is an error or a text for the report. */
export function fail(kind, detail) {
  if (detail !== undefined) details.push(describe(detail));
  const root = document.documentElement;
  root.dataset.failed ??= kind;
  const page = PAGES[root.dataset.failed] ?? PAGES.panic;
  element('failure-title').textContent = page.title;
  element('failure-advice').textContent = page.advice;
  element('report').textContent = composeReport(root.dataset.failed, details);
  element('loading').hidden = true;
  if (!element('failure').hidden) return;
  element('failure').hidden = false;
  element('stage').inert = true;
  element('reload').focus();
}

/** Listens to everything by which the app can end. */
export function watchForFailures(canvas) {
  element('reload').addEventListener('click', () => location.reload());
  element('copy-report').addEventListener('click', copyReport);
  canvas.addEventListener('webglcontextlost', () => fail('context-lost'));
  watchPanics();
  // In the capture phase, for a script that can't be loaded does not bubble.
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', onRejection);
}

/** A panic in the app reaches the page as a call of console.error; what it throws afterwards says nothing. */
function watchPanics() {
  const print = console.error;
  console.error = (...words) => {
    print.apply(console, words);
    const text = words.map(String).join(' ');
    if (text.includes('panicked at')) fail('panic', text);
  };
}

function onError(event) {
  if (event.target instanceof HTMLScriptElement) {
    fail('start', `${event.target.src || 'a script of the page'} could not be loaded`);
  } else if (wasRefused(event.error)) {
    event.preventDefault();
  } else if (event.error instanceof Error) {
    fail(kindNow(), event.error);
  }
}

function onRejection(event) {
  if (wasRefused(event.reason)) {
    event.preventDefault();
  } else if (event.reason instanceof Error && !isDenial(event.reason)) {
    fail(kindNow(), event.reason);
  }
}

/** The loader's own way to stop a start that the page has already explained. */
function wasRefused(reason) {
  return reason?.name === 'NotStarted';
}

/** Once it runs, a browser that denies something, such as the clipboard, ends nothing. */
function isDenial(reason) {
  return reason instanceof DOMException && kindNow() === 'panic';
}

function kindNow() {
  return document.documentElement.dataset.ready === '1' ? 'panic' : 'start';
}

function describe(detail) {
  return detail instanceof Error ? (detail.stack ?? String(detail)) : String(detail);
}

async function copyReport() {
  const report = element('report');
  const copied = await copyText(report.textContent);
  report.closest('details').open = !copied;
  if (!copied) getSelection().selectAllChildren(report);
  element('copy-report').textContent = copied ? 'Copied' : 'Selected: copy it with the keyboard';
}
