"""Read the numbers that a lesson prints."""

import re

NUMBER = re.compile(r"[-−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def numbers_of(printed):
    """Make the function that finds numbers in a lesson's printed text."""

    def numbers(line):
        """The numbers in the first printed line that matches, after the matched text."""
        found = re.search(line + r"(.*)", printed)
        assert found, line
        return [float(number.replace(",", "").replace("−", "-")) for number in NUMBER.findall(found[1])]

    return numbers
