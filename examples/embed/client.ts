#!/usr/bin/env node
// Cursor's hooks for an agent in TypeScript: one `tenter serve` as a subprocess. Node 22.18 or newer.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Outcome {
  answer: Record<string, unknown>;
  blocked: boolean;
  asks: boolean;
  followup: string | null;
}

/** The hooks of a project. Any number of events may be fired at a time. */
class Hooks {
  #server: ChildProcess;
  #ready = Promise.withResolvers<void>();
  #ended = Promise.withResolvers<void>();
  #waiting = new Map<number, PromiseWithResolvers<Outcome>>();
  #ids = 0;

  constructor(project: string, ...options: string[]) {
    const command = ["serve", "--stdio", "--project", project, ...options];
    this.#server = spawn(process.env.TENTER ?? "tenter", command, {
      stdio: ["pipe", "pipe", "inherit"],
    });
    for (const part of [this.#server, this.#server.stdin!]) {
      part.on("error", (error: Error) => this.#end(error));
    }
    const lines = createInterface({ input: this.#server.stdout! });
    lines.on("line", (line) => this.#read(JSON.parse(line)));
    lines.on("close", () => this.#end(new Error("the hooks have ended")));
  }

  /** The outcome of an event. Rejects if there is none: then the action must not happen. */
  async fire(event: string, payload: object): Promise<Outcome> {
    await this.#ready.promise;
    const answer = Promise.withResolvers<Outcome>();
    this.#waiting.set(++this.#ids, answer);
    this.#send({ id: this.#ids, event, payload });
    return answer.promise;
  }

  /** Lets the hooks that are running finish. */
  async close(): Promise<void> {
    this.#send({ shutdown: true });
    await this.#ended.promise;
  }

  #send(request: object): void {
    this.#server.stdin!.write(`${JSON.stringify(request)}\n`);
  }

  #read(message: any): void {
    if (message.notice) console.error("notice:", message.notice);
    if (message.notice === "ready") this.#ready.resolve();
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.outcome);
  }

  #end(error: Error): void {
    this.#ready.reject(error);
    this.#ended.resolve();
    for (const answer of this.#waiting.values()) answer.reject(error);
  }
}

const [project, ...commands] = process.argv.slice(2);
const hooks = new Hooks(project, "--trust"); // Ask your user first: the hooks are the project's.

async function decide(command: string): Promise<string> {
  const payload = { command, cwd: project };
  const { blocked, asks, answer } = await hooks.fire("beforeShellExecution", payload);
  const verdict = blocked ? "refuse" : asks ? "ask" : "run";
  const why = answer.agent_message;
  return `${verdict}: ${command}` + (why ? ` (${why})` : "");
}

for (const line of await Promise.all(commands.map(decide))) console.log(line);
await hooks.close();
