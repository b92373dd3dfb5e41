// Times the cases of examples/cases in WebAssembly beside the native figures, alternating, and compares the schedules.
// node wasm.mjs MODULE.wasm NATIVE_PROGRAM [ROUNDS]
import { readFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";

const [modulePath, native, rounds = "5"] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(modulePath), {});
const { cases, prepare, replay } = instance.exports;

const lines = execFileSync(native, [rounds], { encoding: "utf8" }).trim().split("\n");
const rows = lines.map((line, index) => {
  const [policy, workload, milliseconds, checksum] = line.split("\t");
  prepare(index);
  let best = Infinity;
  let ours = 0;
  for (let round = 0; round < Number(rounds); round += 1) {
    const begun = performance.now();
    ours = replay(index) >>> 0;
    best = Math.min(best, performance.now() - begun);
  }
  if (ours !== Number(checksum)) throw new Error(`${policy}: the schedules differ`);
  return { policy, workload, native: Number(milliseconds), wasm: best };
});
if (rows.length !== cases()) throw new Error("the two sides have different cases");

console.log("| policy | workload | native ms | WebAssembly ms | ratio |\n|---|---|---|---|---|");
for (const { policy, workload, native: ms, wasm } of rows) {
  console.log(`| ${policy} | ${workload} | ${ms.toFixed(1)} | ${wasm.toFixed(1)} | ${(wasm / ms).toFixed(2)} |`);
}
