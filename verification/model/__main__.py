"""`python -m verification.model`: prints which failures each setting tolerates, and shortest counterexamples."""

import click

from verification.model.guarantees import counterexamples, markdown_table

for lines in (markdown_table(), counterexamples()):
    for line in lines:
        click.echo(line)
    click.echo()
