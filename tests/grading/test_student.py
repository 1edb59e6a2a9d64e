"""What a student's process says unasked is refused at once, and costs no function but the one that said it."""

import socket

import pytest
from conftest import require

from pe_grading import sandbox
from pe_grading.protocol import Channel, Deadline
from pe_grading.sandbox import Limits, Sandbox
from pe_grading.student import Student, Unanswered


class Scripted:
    """A student's process that has said all it will ever say before it is asked."""

    def __init__(self, *replies):
        ours, self.theirs = socket.socketpair()
        self.channel = Channel(ours)
        for reply in replies:
            Channel(self.theirs).send(reply)
        self.closed = False

    def processor_time(self):
        return {}

    def killed_from_outside(self):
        return False

    def close(self):
        self.closed = True


def asked(*replies, arguments=()):
    """Call a function of a process that replies so; return the process and what came of it."""
    box = type("Box", (), {"limits": Limits()})()
    student = Student(box, [], 0)
    student.process = process = Scripted(*replies)
    try:
        return process, student.call("f", arguments, {})
    except Unanswered as error:
        return process, str(error)


def back(number):
    return {"do": "back", "number": number, "arguments": [2], "options": {}}


@pytest.mark.parametrize("number", [0, -1, 50, 0.0, True, "0", None])
def test_a_call_of_a_function_that_nobody_lent_ends_the_process_whoever_is_faster(number):
    process, said = asked(back(number), {"id": 1, "value": 7})
    assert "not return plain data" in said and process.closed, "the reply that stands behind the call must not count"


def test_a_function_that_was_lent_is_called():
    process, value = asked(back(0), {"id": 1, "value": 7}, arguments=(lambda x: x + 1,))
    assert value == 7 and not process.closed
    theirs = Channel(process.theirs)
    assert theirs.receive(make_callback=lambda *_: None)["do"] == "call" and theirs.receive() == {"value": 3}


def test_an_answer_that_nobody_waits_for_does_not_end_the_students_process():
    require(sandbox.missing() is None, "install bubblewrap (the package `bubblewrap`)")
    box = Sandbox(["numpy"], Limits())
    try:
        process = box.start()
        process.channel.send({"error": ["IndexError", "list index out of range"]})
        process.channel.send({"do": "ask", "id": 1, "source": "1 + 1"})
        assert process.channel.receive(Deadline(60)) == {"id": 1, "value": "2"}
        process.close()
    finally:
        box.close()
