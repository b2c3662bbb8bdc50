"""A folder as a power cut may have left it, made from what record_writes.cc wrote down.

What a program did to a file or a folder is certain to be on the disk once that file or folder was synchronised (or was written with O_DSYNC). Of all
else any part may be there: a write may be missing, torn at the border of a sector or a page, or have left zeros; a name that was made, replaced or
removed may or may not have been. A file that was synchronised has its name only when its folder was synchronised too: file systems may be that strict.
"""
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

# Which part of what is uncertain is there.
WAYS = ("nothing", "names", "bytes", "everything", "in order", "only one", "all but one", "any", "any")
BORDERS = (512, 4096)


class Unreplayable(Exception):
    """The record is not complete: the test itself is at fault."""


@dataclass
class Change:
    """To the bytes of a file: `data` from `offset` on, or (data None) its size."""
    number: int
    offset: int
    data: bytes | None
    certain: bool = False


@dataclass
class Naming:
    """To the names of a folder: `name` now means `node` (None: nothing), and `old`, if that was the same node, is gone."""
    number: int
    name: str
    node: object
    old: str | None = None
    certain: bool = False


@dataclass
class File:
    content: bytearray = field(default_factory=bytearray)
    changes: list = field(default_factory=list)

    def synchronise(self):
        for change in self.changes:
            apply(self.content, change.offset, change.data)
        self.changes.clear()


@dataclass
class Folder:
    names: dict = field(default_factory=dict)    # certain
    changes: list = field(default_factory=list)
    seen: dict = field(default_factory=dict)     # as the running program sees it

    def name(self, naming):
        self.changes.append(naming)
        rename(self.seen, naming)

    def synchronise(self):
        for naming in self.changes:
            rename(self.names, naming)
        self.changes.clear()


def apply(content, offset, data):
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def rename(names, naming):
    if naming.old is not None and names.get(naming.old) is naming.node:
        del names[naming.old]
    if naming.node is None:
        names.pop(naming.name, None)
    else:
        names[naming.name] = naming.node


def records(path):
    """What was written down: (what, inode, first, second, path, other path, bytes)."""
    data = Path(path).read_bytes()
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        what, inode, first, second, name, other, size = data[at:end].decode().split("\t")
        at = end + 1 + int(size)
        yield what, int(inode), int(first), int(second), name, other, data[end + 1:at]


class Disk:
    """Goes through the records one by one. `folder` is what the program begins with, all of it on the disk."""

    def __init__(self, folder):
        self.nodes = {}
        self.root = self._take(Path(folder))
        self.number = 0

    def _take(self, path):
        if path.is_dir():
            node = Folder({entry.name: self._take(entry) for entry in path.iterdir()})
            node.seen = dict(node.names)
        else:
            node = File(bytearray(path.read_bytes()))
        self.nodes[path.stat().st_ino] = node
        return node

    def _place(self, path):
        """The folder that a path is in, and its last name."""
        *folders, name = path.split("/")
        node = self.root
        for folder in folders:
            node = node.seen[folder]
        return node, name

    def do(self, record):
        what, inode, first, second, path, other, data = record
        self.number += 1
        if what == "mark":
            return
        if what in ("create", "folder", "link"):
            folder, name = self._place(path)
            if what != "link":
                self.nodes[inode] = File() if what == "create" else Folder()
            folder.name(Naming(self.number, name, self.nodes[inode]))
        elif what == "unnamed":
            self.nodes[inode] = File()
        elif what == "remove":
            folder, name = self._place(path)
            folder.name(Naming(self.number, name, None))
        elif what == "rename":
            (folder, old), (target, name) = self._place(path), self._place(other)
            if folder is target:
                folder.name(Naming(self.number, name, folder.seen[old], old))
            else:  # the one may be on the disk without the other
                target.name(Naming(self.number, name, folder.seen[old]))
                folder.name(Naming(self.number, old, None))
        elif what == "write":
            self.nodes[inode].changes.append(Change(self.number, first, data, certain=second == 1))
        elif what == "size":
            self.nodes[inode].changes.append(Change(self.number, first, None))
        elif what == "sync":
            self.nodes[inode].synchronise()
        else:
            raise Unreplayable(f"{path} ({other}) cannot be replayed")

    def leave(self, target, seed, way):
        """Writes the folder as a cut at this moment may have left it."""
        Cut(self, random.Random(seed), way).leave(self.root, Path(target))


class Cut:
    """Which of the uncertain changes are there."""

    def __init__(self, disk, chance, way):
        self.chance, self.way = chance, way
        self.share = chance.choice((0.1, 0.5, 0.9))
        uncertain = [change.number for node in disk.nodes.values() for change in node.changes if not change.certain]
        self.chosen = chance.choice(uncertain or [0])

    def has(self, change, names):
        if change.certain or self.way == "everything" or self.way == ("names" if names else "bytes"):
            return True
        if self.way in ("in order", "only one", "all but one"):
            return {"in order": change.number < self.chosen, "only one": change.number == self.chosen}.get(self.way, change.number != self.chosen)
        return self.way == "any" and self.chance.random() < self.share

    def put(self, content, change):
        """A write that is there: whole, torn, or as zeros."""
        how = self.chance.random()
        if change.certain or change.data is None or self.way != "any" or how < 0.5:
            return apply(content, change.offset, change.data)
        if how < 0.6:
            return apply(content, change.offset, bytes(len(change.data)))
        border = self.chance.choice(BORDERS)
        at = 0
        while at < len(change.data):
            end = (change.offset + at) // border * border + border - change.offset
            if self.chance.random() < 0.5:
                apply(content, change.offset + at, change.data[at:end])
            at = end

    def leave(self, node, target):
        if isinstance(node, File):
            content = bytearray(node.content)
            for change in node.changes:
                if self.has(change, names=False):
                    self.put(content, change)
            target.write_bytes(content)
            return
        names = dict(node.names)
        for naming in node.changes:
            if self.has(naming, names=True):
                rename(names, naming)
        os.mkdir(target)
        for name, child in names.items():
            self.leave(child, target / name)


def differences(left, right):
    """Paths of files that are not the same in two folders. Files of LMDB's locks are written through memory, which is not recorded."""
    files = [{path.relative_to(folder): path for path in Path(folder).rglob("*")} for folder in (left, right)]
    found = sorted(str(name) for name in files[0].keys() ^ files[1].keys())
    for name in files[0].keys() & files[1].keys():
        one, other = files[0][name], files[1][name]
        if one.is_file() and name.name != "lock.mdb" and one.read_bytes() != other.read_bytes():
            found.append(str(name))
    return found
