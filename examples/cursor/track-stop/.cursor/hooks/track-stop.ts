#!/usr/bin/env node
// Counts the failures in a row of each conversation, reports every stop to AGENT_TELEMETRY_URL if
// that is set, and has the agent try again once two runs in a row have failed.
//
// Node 22.18 or newer runs it as it is; 22.6 to 22.17 need `node --experimental-strip-types`.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";

type Status = "completed" | "aborted" | "error";

interface Stop {
  conversation_id: string;
  generation_id: string;
  model: string;
  status: Status;
  loop_count: number;
}

interface Entry {
  lastStatus: Status;
  errorCount: number;
  lastUpdatedIso: string;
}

const FAILURES = 2;
/** After so many follow-ups a human should look. */
const MOST_LOOPS = 4;

const folder = join(process.env.CURSOR_PROJECT_DIR ?? ".", ".cursor/hooks/state");
const file = join(folder, "agent-metrics.json");

async function readMetrics(): Promise<Record<string, Entry>> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    // The first run, or a file that is of no use any more.
    return {};
  }
}

/** In one piece: another conversation may stop at the same moment. */
async function writeMetrics(metrics: Record<string, Entry>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(metrics, null, 2));
  await rename(draft, file);
}

async function report(stop: Stop, { errorCount, lastUpdatedIso }: Entry): Promise<void> {
  const url = process.env.AGENT_TELEMETRY_URL;
  if (!url) return;
  const { conversation_id, generation_id, model, status, loop_count } = stop;
  const summary = { conversation_id, generation_id, model, status, loop_count, errorCount };
  await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...summary, timestamp: lastUpdatedIso }),
    signal: AbortSignal.timeout(2000),
  });
}

async function main(): Promise<{ followup_message?: string }> {
  const stop = (await json(process.stdin)) as Stop;
  const metrics = await readMetrics();
  const before = metrics[stop.conversation_id]?.errorCount ?? 0;
  const errorCount = stop.status === "error" ? before + 1 : 0;
  const entry = { lastStatus: stop.status, errorCount, lastUpdatedIso: new Date().toISOString() };
  await writeMetrics({ ...metrics, [stop.conversation_id]: entry });
  // Telemetry that does not get through is no reason to fail.
  await report(stop, entry).catch((error) => console.error("track-stop: no report:", error));
  if (errorCount >= FAILURES && stop.loop_count < MOST_LOOPS) {
    return {
      followup_message: "The last two runs failed. Check the credentials first, then try again.",
    };
  }
  return {};
}

main()
  .catch((error) => {
    console.error("track-stop: failed:", error);
    return {};
  })
  .then((answer) => console.log(JSON.stringify(answer)));
