"""The generator's sub-commands, one module each."""
