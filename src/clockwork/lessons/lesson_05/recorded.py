"""The recorded runs that lesson 05's plain checks compare; the site writes their numbers into the page."""

from clockwork.kit import datafiles, sweep

TASK = "who_came_first"
LENGTH = 24  # tokens, the longest trained
TUNED_ON = 4  # seeds; the others are fresh


def _fresh() -> list[tuple[str, float, float, list[float]]]:
    """Return of each run its code, learning rate and scale (factor or std), and its fresh seeds' accuracies."""
    found = []
    for run in datafiles.read("tuning.json")["runs"]:
        config = run["config"]
        if config["task"] == TASK and config["steps"] == sweep.STEPS[TASK]:
            scale = config["gain"] if config["table_std"] is None else config["table_std"]
            place = run["lengths"].index(LENGTH)
            accuracies = [row[place] for row in run["accuracy"][TUNED_ON:]]
            found.append((config["scheme"], config["learning_rate"], scale, accuracies))
    return found


FRESH = _fresh()
