"""The script the web server runs for every change of a view.

It stands in a folder of its own because the server takes a folder named `pages` beside its script for pages that it
should run by itself, without the frame.
"""

from app.main import main

main()
