"""Wrong answers to the example; each docstring is part of the hint that its author must be shown."""


def median__of_values_as_they_come(values):
    """sort the values first"""
    return values[len(values) // 2]


def median__upper_of_two(values):
    """take their mean"""
    return sorted(values)[len(values) // 2]
