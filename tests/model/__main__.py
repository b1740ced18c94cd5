"""`python -m tests.model`: print which failures each setting tolerates, and the shortest counterexamples."""

import click

from tests.model.guarantees import counterexamples, markdown_table

for lines in (markdown_table(), counterexamples()):
    for line in lines:
        click.echo(line)
    click.echo()
