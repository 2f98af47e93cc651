"""What the fuzzer is made of: damaged tables, command lines, calls, and an independent reader."""
