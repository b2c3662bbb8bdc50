"""What a peer does, run by the Python of the peer's own environment: jobs.py JOB 'SETTINGS' INPUT OUTPUT THREADS

Each job reads the documents and writes its answer as answers.py reads it. The seconds of the peer's own part go to OUTPUT.own: the
peer's calls alone, from texts or lists of shingles in memory to an answer in memory, without the start of Python, imports, reading and
cutting shingles. The pipelines read and write files themselves; their own part is all but the start of Python and imports.
"""
import functools
import json
import os
import pathlib
import pickle
import struct
import sys
import time

THRESHOLD = 0.8
SHINGLE = 5
BATCH = 20_000  # documents whose shingles are in memory at once, where the peer's path allows it


class Own:
    """Adds up the seconds spent inside it."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self.begin = time.perf_counter()

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self.begin


def read_texts(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def shingles(text):
    words = text.split(" ")
    return list(map(" ".join, zip(*(words[start:] for start in range(SHINGLE)))))


def batches(texts):
    for start in range(0, len(texts), BATCH):
        yield start, [shingles(text) for text in texts[start:start + BATCH]]


def write_pairs(pairs, path):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in pairs)


def write_rows(rows, path):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in rows)


# ------------------------------------------------------------------------------------------------------------- datasketch

def exactly_checked(pairs, texts):
    """What datasketch's documentation advises for exact results: the similarity of the original sets."""
    @functools.lru_cache(maxsize=4096)
    def set_of(row):
        return frozenset(shingles(texts[row]))

    def similarity(a, b):
        shared = len(set_of(a) & set_of(b))
        return shared / (len(set_of(a)) + len(set_of(b)) - shared)

    return [(a, b) for a, b in pairs if similarity(a, b) >= THRESHOLD]


def datasketch(settings, source, out, threads, own):
    from datasketch import MinHash, MinHashLSH
    sketching = {"num_perm": settings["hashes"]}
    if settings.get("hash") == "xxh32":
        import xxhash
        sketching["hashfunc"] = xxhash.xxh32_intdigest
    banding = {"params": (settings["bands"], settings["rows"])} if "bands" in settings else {"threshold": THRESHOLD}
    texts, pairs = read_texts(source), []
    with own:
        lsh = MinHashLSH(num_perm=settings["hashes"], **banding)
    for start, sets in batches(texts):
        with own:
            encoded = ([shingle.encode("utf-8") for shingle in one] for one in sets)
            for row, sketch in enumerate(MinHash.generator(encoded, **sketching), start):
                pairs += [(other, row) for other in lsh.query(sketch)]
                lsh.insert(row, sketch)
    if settings.get("check") == "exact":
        with own:
            pairs = exactly_checked(pairs, texts)
    write_pairs(pairs, out)
    return {"bands": f"{lsh.b}x{lsh.r}"}


# ------------------------------------------------------------------------------------------------------------- rensa

def rensa_pairs(settings, source, out, threads, own):
    """All tokens; candidates of the index, checked by the signatures."""
    from rensa import RMinHash, RMinHashLSH
    sketches, texts = [], read_texts(source)
    for _, sets in batches(texts):
        with own:
            sketches += RMinHash.from_token_sets(sets, num_perm=settings["hashes"], seed=42)
    with own:
        lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=settings["hashes"], num_bands=settings["bands"])
        lsh.insert_many(sketches)
        pairs = [(row, other) for row, candidates in enumerate(lsh.query_all(sketches)) for other in candidates
                 if other > row and lsh.is_similar(sketches[row], sketches[other])]
    write_pairs(pairs, out)


def rensa_removed(settings, source, out, threads, own):
    """All tokens; the deduplicator, which checks candidates by the signatures and keeps the first."""
    from rensa import RMinHashDeduplicator
    index = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=settings["hashes"], use_lsh=True, num_bands=settings.get("bands"))
    removed = []
    for start, sets in batches(read_texts(source)):
        with own:
            kept = index.add_pairs((str(row), one) for row, one in enumerate(sets, start))
        removed += [row for row, keep in enumerate(kept, start) if not keep]
    write_rows(removed, out)


def rensa_flags(settings, source, out, threads, own):
    """The batch path: one matrix of signatures, of all tokens or of sampled ones (rho), and flags that say who shares a band."""
    from rensa import RMinHash, RMinHashLSH
    sets = [shingles(text) for text in read_texts(source)]
    with own:
        make = RMinHash.digest_matrix_from_token_sets_rho if settings["sampling"] else RMinHash.digest_matrix_from_token_sets
        matrix = make(sets, num_perm=settings["hashes"], seed=42)
        lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=settings["hashes"], num_bands=settings["bands"])
        flags = lsh.query_duplicate_flags_matrix_one_shot(matrix)
    write_rows((row for row, flag in enumerate(flags) if flag), out)


# ------------------------------------------------------------------------------------------------------------- gaoya

def gaoya(settings, source, out, threads, own):
    """Cuts its own shingles of words; an answer is checked by the signatures."""
    import gaoya as peer
    texts = read_texts(source)
    with own:
        index = peer.minhash.MinHashStringIndex(jaccard_threshold=THRESHOLD, num_bands=settings["bands"], band_size=settings["rows"],
                                                analyzer="word", ngram_range=(SHINGLE, SHINGLE), id_container=settings["container"])
        index.par_bulk_insert_docs(list(range(len(texts))), texts)
        pairs = [(row, other) for row, found in enumerate(index.par_bulk_query(texts)) for other in found if other > row]
    write_pairs(pairs, out)


# ------------------------------------------------------------------------------------------------------------- text-dedup

def text_dedup(settings, source, out, threads, own):
    """Its command, as its documentation has it."""
    from text_dedup.minhash import main, optimal_param
    flags = {"path": "json", "data_files": source, "split": "train", "column": "text", "cache_dir": f"{out}.cache", "output": f"{out}.kept",
             "num_proc": threads, "threshold": THRESHOLD, "ngram": SHINGLE, **settings}
    with own:
        main([*(str(part) for flag, value in flags.items() for part in (f"--{flag}", value)), "--debug"], standalone_mode=False)
    bands = (settings["b"], settings["r"]) if "b" in settings else optimal_param(THRESHOLD, settings.get("num_perm", 250))
    return {"bands": "x".join(map(str, bands))}


def text_dedup_answer(out, bounds):
    with open(f"{out}.kept/uf.pkl", "rb") as file:
        forest = pickle.load(file)
    write_pairs(((row, forest.find(row)) for row in list(forest.parent)), out)


# ------------------------------------------------------------------------------------------------------------- datatrove

def datatrove_config(settings):
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.text import TextNormConfig
    if settings.get("plain"):
        steps = ("lowercase", "norm_whitespace", "remove_punctuation", "norm_unicode_diacritics", "norm_numbers")
        return MinhashConfig(n_grams=SHINGLE, num_buckets=settings["bands"], hashes_per_bucket=settings["rows"],
                             norm_config=TextNormConfig(**dict.fromkeys(steps, False)))
    return MinhashConfig()


def datatrove_signatures(folder, settings):
    """With `plain` a word is what stands between blanks; otherwise what its tokenizer for English says."""
    from datatrove.pipeline.dedup.minhash import MinhashDedupSignature
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Blanks(WordTokenizer):
        def word_tokenize(self, text):
            return text.split(" ")

        def sent_tokenize(self, text):
            return [text]

        def span_tokenize(self, text):
            return [(0, len(text))]

    language = {"language": Blanks()} if settings.get("plain") else {}
    return MinhashDedupSignature(output_folder=folder, config=datatrove_config(settings), **language)


def datatrove(settings, source, out, threads, own):
    """Its four stages by the local executor, a file of the input for each worker."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup.minhash import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    config, buffer = datatrove_config(settings), {"lines_to_buffer": 1000} if settings.get("plain") else {}
    folder = lambda name: f"{out}.{name}"

    def stage(name, pipeline, tasks):
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=min(threads, tasks), logging_dir=folder(f"logs/{name}")).run()

    with own:
        stage("signatures", [JsonlReader(source), datatrove_signatures(folder("signatures"), settings)], threads)
        stage("buckets", [MinhashDedupBuckets(folder("signatures"), folder("buckets"), config=config, **buffer)], config.num_buckets)
        stage("clusters", [MinhashDedupCluster(folder("buckets"), folder("clusters"), config=config, save_cluster_id=True, **buffer)], 1)
        writer = JsonlWriter(folder("kept"), compression=None)
        stage("filter", [JsonlReader(source), MinhashDedupFilter(folder("clusters"), **buffer), writer], threads)


def datatrove_answer(out, bounds):
    first_of, links = {}, []
    for part, start in enumerate(bounds):
        path = pathlib.Path(f"{out}.clusters/{part:06d}.clusters")
        for document, cluster in struct.iter_unpack("<2I", path.read_bytes() if path.exists() else b""):
            links.append((start + document, first_of.setdefault(cluster, start + document)))
    write_pairs(links, out)


def datatrove_shingles(settings, source, out, threads, own):
    """Its own shingles of each document, as it hashes them, in nearkin's format of sets, for the exact answer by its own lights."""
    maker = datatrove_signatures(f"{out}.unused", settings)
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(" ".join(str(one[0]) for one in maker.get_shingles(text).tolist()) + "\n" for text in read_texts(source))


ANSWERS = {"text_dedup": text_dedup_answer, "datatrove": datatrove_answer}


def main():
    job, settings, source, out, threads = sys.argv[1:]
    if job.endswith("-answer"):  # what a pipeline left behind, as an answer; not timed
        return ANSWERS[job.removesuffix("-answer")](out, json.loads(settings))
    own = Own()
    said = globals()[job](json.loads(settings), source, out, int(threads), own) or {}
    pathlib.Path(f"{out}.own").write_text(json.dumps({"seconds": own.seconds, **said}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
