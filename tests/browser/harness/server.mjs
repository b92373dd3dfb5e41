// Serves the built site to the tests, as any static host would.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../../dist', import.meta.url));

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/** Starts on a free port; answers the address and how to stop. Serves below a folder, for the site must not care where it lies. */
export async function serveSite() {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}/some/folder/`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, stop };
}

async function answer(request, response) {
  const path = decodeURIComponent(new URL(request.url, 'http://host').pathname).replace(/^\/some\/folder\/$/, '/some/folder/index.html');
  try {
    const name = normalize(path).replace(/^\/some\/folder\//, '');
    const body = await readFile(join(SITE, name));
    response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}
