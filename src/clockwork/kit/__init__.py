"""What several lessons share: pictures to grab, questions, checks, recorded results."""
