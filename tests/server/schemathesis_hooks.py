"""For scripts/test_api.sh: bodies that are lines of JSON."""
import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(_context, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"
