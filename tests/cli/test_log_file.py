"""The forms in which a file may contain a log."""

from service.cli.log_download import decode_log


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    one = '{"version": 1}'
    for text in (f"[{one}]", f'{{"diffs": [{one}]}}', one, f"{one}\n{one}\n"):
        assert decode_log(text.encode("utf-8-sig")) == decode_log(text.encode())
