"""datasketch's MinHashLSH as an index of documents, in memory or in Redis: run by bench/index in an environment that has it.

    index_peer.py FILE.jsonl BANDS ROWS THRESHOLD DOCUMENTS QUERIES [REDIS_PORT]

Prints one JSON object. Shingles are five words, as nearkin's plan has them; sketching counts, as it does for nearkin.
"""
import json
import re
import resource
import sys
import time

from datasketch import MinHash, MinHashLSH

WORDS = re.compile(r"[a-z0-9]+")


def shingles(text):
    words = WORDS.findall(text.lower())
    if len(words) < 5:
        return [" ".join(words).encode()]
    return [" ".join(words[i:i + 5]).encode() for i in range(len(words) - 4)]


def main():
    path, bands, rows, threshold, documents, queries = sys.argv[1], *map(float, sys.argv[2:7])
    bands, rows, documents, queries = int(bands), int(rows), int(documents), int(queries)
    storage = {"type": "redis", "basename": b"nearkin-bench", "redis": {"host": "127.0.0.1", "port": int(sys.argv[7])}} if len(sys.argv) > 7 else None
    texts = []
    with open(path, encoding="utf-8") as lines:
        for line, _ in zip(lines, range(documents)):
            record = json.loads(line)
            texts.append((record["id"], record["text"]))
    lsh = MinHashLSH(num_perm=bands * rows, params=(bands, rows), **({"storage_config": storage} if storage else {}))
    start = time.monotonic()
    with lsh.insertion_session() as session:
        for key, text in texts:
            sketch = MinHash(num_perm=bands * rows)
            sketch.update_batch(shingles(text))
            session.insert(key, sketch)
    inserted = time.monotonic() - start
    start = time.monotonic()
    found = 0
    for i in range(queries):
        sketch = MinHash(num_perm=bands * rows)
        sketch.update_batch(shingles(texts[i * 7919 % len(texts)][1]))
        found += len(lsh.query(sketch))
    asked = time.monotonic() - start
    print(json.dumps({"inserts_a_second": len(texts) / inserted, "queries_a_second": queries / asked, "candidates_a_query": found / queries,
                      "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
