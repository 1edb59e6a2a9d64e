"""Train a small transformer in the reader's browser: one engine, checked against torch, and the page around it.

The engine is ES modules in `static/`: memory.js (one block of memory, the product of matrices), tape.js (operations
that know their way back), codes.js (what a model is told of positions), transformer.js (the course's model), numbers.js
(random numbers, AdamW), tasks.js, and training.js, which trains in small pieces and serves a page. kernel.js holds the
one hot loop, compiled from product.ts by `python -m tools.playground kernel`.
"""
