"""The parts of the fuzzer: workers, damage, files to damage, and a slow reading of them."""
