"""The head that lesson 11's plain check tries; the site writes its numbers into the page."""

from clockwork.kit import pretrained

_head = pretrained.heads()[0]["previous"]
QUERIES = _head.q.tolist()
KEYS = _head.k.tolist()
