"""`python -m tests.model`: what each setting holds, and the shortest way to lose something with the others."""

import click

from tests.model.guarantees import markdown_table, stories

for lines in (markdown_table(), stories()):
    for line in lines:
        click.echo(line)
    click.echo()
