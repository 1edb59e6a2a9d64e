"""Grade submissions of the Clockwork assignments without trusting them."""
