"""`python -m cutline` is the command."""

from cutline.cli.main import run

if __name__ == "__main__":
    run()
