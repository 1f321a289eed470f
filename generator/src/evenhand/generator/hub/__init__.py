"""The only code that talks to the Hub: publishing a version at a tag, and pulling one."""
