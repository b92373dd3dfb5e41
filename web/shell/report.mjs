// The report that a visitor can copy when something went wrong.

/** What failed where; the app adds scenario, seed and interventions if it can still speak. */
export function composeReport(kind, details) {
  const lines = [
    `Switchyard ${version()}`,
    `failure: ${kind}`,
    `page: ${location.href}`,
    `browser: ${navigator.userAgent}`,
    `window: ${innerWidth} x ${innerHeight} at ${devicePixelRatio}`,
    ...details,
    fromApp(),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** True if the clipboard took it; a browser may deny that to a framed or insecure page. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function version() {
  return document.querySelector('meta[name="version"]').content;
}

function fromApp() {
  try {
    return String(window.wasmBindings?.switchyard_report?.() ?? '');
  } catch (error) {
    return `the app could not report: ${error}`;
  }
}
