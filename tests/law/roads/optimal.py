"""--one-to-one --optimal: whether listed pairs are a matching with the greatest sum, which need not be the only one."""
import math

RULE = "one-to-one --optimal"


def is_asked(case):
    return case["partners"] == RULE


def fit(case, draw):
    """It needs two inputs; now and then it is asked for without, and must be refused."""
    if is_asked(case) and case["other"] is None and draw.random() < 0.9:
        case["partners"] = "one-to-one"


def greatest_sum(pairs):
    """Of (a, b, gain): that of a matching, by the Hungarian method on a full square table."""
    rows, columns = ({key: number for number, key in enumerate(sorted({pair[side] for pair in pairs}))} for side in (0, 1))
    size = max(len(rows), len(columns), 1)
    cost = [[0] * size for _ in range(size)]
    for a, b, gain in pairs:
        cost[rows[a]][columns[b]] = min(cost[rows[a]][columns[b]], -gain)
    row_price, column_price, taken_by = [0] * size, [0] * (size + 1), [None] * (size + 1)
    for row in range(size):
        taken_by[size] = row  # a column that is not there, where each row begins
        least, came_from, used, column = [math.inf] * size, [size] * size, set(), size
        while taken_by[column] is not None:
            used.add(column)
            current = taken_by[column]
            for other in range(size):
                reduced = cost[current][other] - row_price[current] - column_price[other]
                if other not in used and reduced < least[other]:
                    least[other], came_from[other] = reduced, column
            nearest = min((other for other in range(size) if other not in used), key=least.__getitem__)
            step = least[nearest]
            for other in used:
                row_price[taken_by[other]] += step
                column_price[other] -= step
            for other in range(size):
                if other not in used:
                    least[other] -= step
            column = nearest
        while column != size:
            taken_by[column] = taken_by[came_from[column]]
            column = came_from[column]
    return -sum(cost[taken_by[column]][column] for column in range(size) if taken_by[column] is not None)


def gain(similarity):
    return math.floor(float(similarity) * 1e9 + 0.5)


def faults(pairs, listed, unsure=0):
    """What is wrong with the listed ones of (a, b, similarity). What a person accepted has a similarity above 1 and is taken first, the most similar
    first. unsure: how much of a similarity may be missing in what is known of it."""
    by_pair = {pair[:2]: pair for pair in pairs}
    found = [f"{pair} is no pair" for pair in listed if pair not in by_pair]
    for side in (0, 1):
        if len({pair[side] for pair in listed}) < len(listed):
            found.append("an item is listed twice")
    taken, accepted = (set(), set()), set()
    for a, b, similarity in sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1])):
        if similarity > 1 and a not in taken[0] and b not in taken[1]:
            accepted.add((a, b))
            taken[0].add(a)
            taken[1].add(b)
    if accepted != {pair for pair in listed if pair in by_pair and by_pair[pair][2] > 1}:
        found.append(f"accepted pairs should be {sorted(accepted)}")
    left = [(a, b, gain(similarity)) for a, b, similarity in pairs if similarity <= 1 and a not in taken[0] and b not in taken[1]]
    gains = {pair[:2]: pair[2] for pair in left}
    got, best = sum(gains.get(pair, 0) for pair in listed), greatest_sum(left)
    if abs(best - got) > len(left) * unsure:
        found.append(f"the sum is {got}, the greatest is {best}")
    return found
