"""Right answers to the assignment `serving`, written another way than the teacher's: they must keep every point."""

import torch


def position_ids(document_ids):
    rows = []
    for row in torch.as_tensor(document_ids).tolist():
        rows.append([row[:i].count(document) if document != -1 else -7 for i, document in enumerate(row)])
    return rows


def what_breaks(document_ids, position_ids, visible, added):
    row = [int(d) for d in document_ids]
    right = [row[:i].count(d) for i, d in enumerate(row)]
    tokens = [i for i, d in enumerate(row) if d >= 0]
    found = set()
    for i in tokens:
        if added and position_ids[i] != right[i]:
            found.add("place")
        for j in range(len(row)):
            if not visible[i][j]:
                continue
            if row[i] != row[j]:
                found.add("leak")
            elif position_ids[i] - position_ids[j] != right[i] - right[j]:
                found.add("offset")
    return sorted(found, reverse=True)


def slide(keys, inv_freq, sinks, drop):
    from pe_helpers import rotary

    keys, inv_freq = torch.as_tensor(keys), torch.as_tensor(inv_freq)
    old = torch.arange(len(keys))
    stay = (old < sinks) | (old >= sinks + drop)
    return rotary.turn_further(keys[stay], torch.arange(int(stay.sum())) - old[stay], inv_freq=inv_freq)


def stale(visible, start, count, layers):
    stay = [t for t in range(len(visible)) if not start <= t < start + count]
    rows = [[False] * len(visible)]
    while len(rows) < layers:
        last = rows[-1]
        rows.append(
            [
                last[i]
                or any(
                    visible[i][j] and (j not in stay or last[j] or (i < start) != (j < start))
                    for j in range(len(visible))
                )
                for i in range(len(visible))
            ]
        )
    return [[row[t] for t in stay] for row in rows]
