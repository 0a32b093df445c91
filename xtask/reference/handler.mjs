// What a JavaScript author's hook does at the least: read the JSON, answer.

import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
if (!event.hook_event_name) process.exit(1);
console.log(JSON.stringify({ permission: "allow" }));
