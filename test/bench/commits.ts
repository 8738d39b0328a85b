/**
 * How often workerd waits for the disk: its system calls, counted from outside by strace, which stops the
 * process at these calls only (`--seccomp-bpf`). Those of D1 are among them.
 */
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Loads } from "./exactness.ts";
import { type Figure, figure } from "./figure.ts";
import type { Requests } from "./requests.ts";
import type { Supply } from "./scenarios.ts";
import { assertAnswers, SCENARIOS } from "./scenarios.ts";
import type { BenchServer } from "./server.ts";

const CALLS = "fsync,fdatasync,sync_file_range,msync,syncfs,sync";
/** A sender's requests in a slice are fewer than its limit of 60 a minute. */
const SENDERS = 2_000;
const UNENDING = 1_000_000;
const WORKERD_PATH = "MINIFLARE_WORKERD_PATH";

export interface Commits {
  per_event: Figure;
  calls: string[];
}

export function canTrace(): boolean {
  const args = ["-D", "--seccomp-bpf", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"];
  return spawnSync("strace", args).status === 0;
}

export async function traced(
  folder: string,
  start: () => Promise<BenchServer>,
): Promise<{ server: BenchServer; trace: string }> {
  const trace = join(folder, "trace");
  const script = join(folder, "workerd-traced");
  const { default: workerd } = createRequire(import.meta.resolve("miniflare"))("workerd");
  await mkdir(folder, { recursive: true });
  // `-D`: workerd stays our child, and strace is its grandchild.
  await writeFile(
    script,
    `#!/bin/sh\nexec strace -D --seccomp-bpf -f -e trace=${CALLS} -o '${trace}' '${workerd}' "$@"\n`,
  );
  await chmod(script, 0o755);
  const before = process.env[WORKERD_PATH];
  process.env[WORKERD_PATH] = script;
  try {
    return { server: await start(), trace };
  } finally {
    if (before === undefined) delete process.env[WORKERD_PATH];
    else process.env[WORKERD_PATH] = before;
  }
}

export async function measureCommits(
  { server, trace }: { server: BenchServer; trace: string },
  loads: Loads,
  supply: Supply,
  pace: { seconds: number; rounds: number; connections: number },
): Promise<Commits> {
  const measured: number[] = [];
  const names = new Set<string>();
  for (let round = 0; round <= pace.rounds; round += 1) {
    const requests: Requests = {
      ...SCENARIOS.hot_16.requests,
      targets: "both",
      page_from: 0,
      sender_from: supply.addresses(SENDERS),
      senders: SENDERS,
      company: SENDERS,
      visits: UNENDING,
    };
    const before = (await callsIn(trace)).length;
    let made: string[] = [];
    const slice = await loads.run(
      server,
      {
        connections: pace.connections,
        requests,
        max_requests: Number.MAX_SAFE_INTEGER,
        max_s: pace.seconds,
      },
      async () => {
        made = (await callsIn(trace)).slice(before);
      },
    );
    assertAnswers(slice, ["202 counted"]);
    if (round === 0) continue;
    measured.push(made.length / slice.requests);
    for (const call of made) names.add(call);
  }
  return { per_event: figure(measured), calls: [...names] };
}

/** The names of the calls in strace's file; a call that was interrupted has two lines. */
async function callsIn(trace: string): Promise<string[]> {
  const text = await readFile(trace, "utf8");
  return Array.from(text.matchAll(/^\d+\s+(\w+)\(/gm), ([, name]) => name ?? "");
}
