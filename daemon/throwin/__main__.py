"""`python -m throwin` is the command line."""

import sys

from throwin.app.cli import main

sys.exit(main())
