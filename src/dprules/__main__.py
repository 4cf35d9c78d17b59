"""`python -m dprules` is the `dprules` command."""

from dprules.cli import main

main()
