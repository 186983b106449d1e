"""What a move costs, measured beside what it is compared with: `make bench`. Not part of the tests."""
