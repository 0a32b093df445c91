"""What a Python author's hook does at the least: read the JSON, answer."""

import json
import sys

event = json.load(sys.stdin)
if not event.get("hook_event_name"):
    sys.exit(1)
print(json.dumps({"permission": "allow"}, separators=(",", ":")))
