// One Chromium per test file, drawing on the processor, and the site beside it.

import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { serveSite } from './server.mjs';

const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

let browser;
let site;

/** Call once at the top of a test file. */
export function useBrowser() {
  before(async () => {
    site = await serveSite();
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  });
  after(async () => {
    await browser?.close();
    site?.stop();
  });
}

/** A fresh tab that nothing was loaded into, closed when test `t` ends. */
export async function newTab(t, settings) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    colorScheme: 'dark',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...settings,
  });
  t.after(() => context.close());
  return context.newPage();
}

/** Where the site is served. */
export function siteAddress() {
  return site.address;
}
