"""Makes a failing case smaller while it fails in the same way: first the road, then what is asked, then the records."""
import copy

from roads import cases, judge

MOST_ATTEMPTS = 220
KEPT_KEYS = ("items", "other", "goal", "road", "command", "format", "size", "faults", "truth")


class Shrinker:
    def __init__(self, programs, folder, case, kind):
        self.programs, self.folder, self.case, self.kind = programs, folder, case, kind
        self.attempts = 0

    def fails(self, case):
        """Whether it still does, in the same way."""
        if self.attempts >= MOST_ATTEMPTS:
            return False
        self.attempts += 1
        try:
            judge.judge(self.programs, case, self.folder)
        except judge.Wrong as wrong:
            return wrong.kind == self.kind
        except (KeyError, ValueError, IndexError, OSError):
            return False  # a case that makes no sense
        return False

    def take(self, change):
        smaller = copy.deepcopy(self.case)
        change(smaller)
        if smaller != self.case and self.fails(smaller):
            self.case = smaller
            return True
        return False

    def shrink(self):
        for key, value in cases.PLAIN_ROAD.items():
            self.take(lambda case: case["road"].__setitem__(key, value))
        self.take(lambda case: case.update(unit=None, least_unit=None))
        for key in self.case:
            if key not in KEPT_KEYS and key != "unit":
                self.take(lambda case: case.__setitem__(key, cases.EMPTY_CASE.get(key)))
        self.take(lambda case: case.__setitem__("other", None) if case["command"] not in ("query", "decontaminate") else None)
        for key in ("bands", "rows", "hashes", "verify", "bag", "normalise"):
            self.take(lambda case: case["goal"].pop(key, None))
        for name in ("decisions", "items", "other"):
            self.drop_records(name)
        return self.case

    def drop_records(self, name):
        """Ever smaller stretches of them, as long as it goes on failing."""
        size = len(self.case[name] or [])
        while size >= 1:
            begin = 0
            while begin < len(self.case[name] or []):
                if not self.take(lambda case: case[name].__delitem__(slice(begin, begin + size))):
                    begin += size
            size //= 2
