"""Read the numbers that a lesson prints."""

import re


def numbers_of(printed):
    """Make the function that finds numbers in a lesson's printed text."""

    def numbers(line):
        """The numbers in the first printed line that matches, after the matched text."""
        found = re.search(line + r"(.*)", printed)
        assert found, line
        return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", found[1])]

    return numbers
