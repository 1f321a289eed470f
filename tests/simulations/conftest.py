"""Lets the tests import the simulated designs, which the benchmark shares."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
