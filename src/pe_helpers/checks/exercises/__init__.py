"""The checks behind the lessons' exercises, one module per lesson: right answers, and what each usual mistake means."""
