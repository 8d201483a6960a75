"""What the web server is pointed at: the script it runs and the files it serves as they are."""
