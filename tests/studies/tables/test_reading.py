"""Files are read as they were meant, or refused in a line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare, read_table


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "t.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("price,size\n1,5,2\n3,7,2\n", "rows of .*t.csv' have more fields than the header"),
        ("price,size\n0,5,2\n1,7,2\n2,1,3\n", "have more fields than the header"),
        ("price,size\na,1,5\nb,3,7\n", "give every column a name, also that of row names"),
        ('"price","size"\n"1",1,5\n"2",3,7\n', "have more fields than the header"),
        ("price,size\n1,5,3,7\n2,5,3,7\n", "have more fields than the header"),
        ("# of 2024\nprice,size\n1,5\n", "begins with '# of 2024', which looks like a comment"),
        ("# of 2024; all\nprice,size\n1,5\n", "looks like a comment; delete the lines before"),
        ("# of 2024, all\na,b,c\n1,5,3\n", "begins with '# of 2024', which looks like a comm"),
        ("price\n1,5\n2,5\n", "write numbers with decimal points"),
        ("price,size\n1,2\n3,7,2\n", "Expected 2 fields in line 3, saw 3; drop commas at its end"),
        ("price,size\n1,2\n3,7,\n", "Expected 2 fields in line 3, saw 3; drop commas at its end"),
    ],
)
def test_rows_longer_than_the_header_are_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_table(written(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("end", [",", ""])
def test_commas_at_the_ends_of_rows_shift_nothing(end: str, tmp_path: Path) -> None:
    read = read_table(written(tmp_path, f"price,size,rooms\n1,2,3,\n4,5,6{end}\n"))
    assert read.to_dict("list") == {"price": [1, 4], "size": [2, 5], "rooms": [3, 6]}


@pytest.mark.parametrize("header", ["y,a,y", '"y",a,y', "\ufeffy,a,y", "\n\ny,a,y"])
def test_repeated_names_of_csv_are_refused(header: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'y' of .*t\.csv' occur more than once; rename them"):
        read_table(written(tmp_path, f"{header}\n1,2,3\n4,5,6\n"))


def test_repeated_names_of_excel_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    pd.DataFrame([[1, 2, 3]], columns=["y", "a", "y"]).to_excel(path, index=False)
    with pytest.raises(InputError, match=r"'y' of .*t\.xlsx' occur more than once"):
        read_table(path)


def test_names_that_only_look_repeated_are_read(tmp_path: Path) -> None:
    read = read_table(written(tmp_path, 'y,y.1,,"a;b",\n1,2,3,4,5\n'))
    assert list(read) == ["y", "y.1", "Unnamed: 2", "a;b", "Unnamed: 4"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y;a\n1;2\n3;4\n", "looks separated by ';'; save it with commas"),
        ("y;a\n1,5;2\n3;4,5\n", "looks separated by ';'; save it with commas"),
        ("y\ta\n1\t2\n", "looks separated by tabs; save it with commas"),
        ("y|a\n1|2\n", r"looks separated by '\|'; save it with commas"),
    ],
)
def test_other_separators_are_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_table(written(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-16", "UTF-16;"), ("utf-16-le", "UTF-16;"), ("latin-1", "Latin-1, or is no text;")],
)
def test_other_encodings_are_named(encoding: str, said: str, tmp_path: Path) -> None:
    text = "price,kind\n1,Höhle\n2,b\n" if encoding == "latin-1" else "price,kind\n1,a\n2,b\n"
    with pytest.raises(InputError, match=f"not written in UTF-8, but in {said} save it as CSV"):
        read_table(written(tmp_path, text, encoding))


def test_a_late_text_makes_all_of_its_column_texts(tmp_path: Path) -> None:
    rows = 300_000  # pandas reads in parts of some 100 000
    read = read_table(written(tmp_path, "a,b\n" + "1,2\n" * rows + "?,2\n"))
    assert {type(value) for value in read["a"]} == {str}


@pytest.mark.parametrize(
    ("labels", "new", "codes"),
    [
        (["1", "01", "A3"], ["01", "1"], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        (["true", "false", "unknown"], ["true"], [[0.0, 1.0, 0.0]]),
        (["1", "2", "XL", ""], ["1", ""], [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]),
        (["inf", "lo", "hi"], ["inf"], [[0.0, 1.0, 0.0]]),
        (["0.1", "0.10", "x"], ["0.10"], [[0.0, 1.0, 0.0]]),
        (["True", "False"], ["true", "TRUE"], [[0.0, 1.0], [0.0, 1.0]]),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_texts_mean_the_same_whatever_other_rows_there_are(
    tmp_path: Path, labels: list[str], new: list[str], codes: list[list[float]], ending: str
) -> None:
    def read(values: list[str], texts: list[str]) -> pd.DataFrame:
        frame = pd.DataFrame({"kind": values, "y": np.arange(len(values)) + 0.5})
        if ending == "csv":
            frame.to_csv(path := tmp_path / "t.csv", index=False)
        else:
            frame.to_excel(path := tmp_path / "t.xlsx", index=False)
        return read_table(path, texts)

    table = read(labels * 9, [])
    encoding = prepare(table, "y", mark_missing="" in labels).encoding
    texts = [column.name for column in encoding.columns if column.holds_texts]
    if ending == "xlsx" and labels == ["True", "False"]:
        return  # texts there, as Excel has types
    assert encoding.inputs(read(new, texts)).to_numpy().tolist() == codes


def test_an_old_file_of_excel_and_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(InputError, match=r"it is of Excel's old format; save it as \.xlsx\.$"):
        read_table(tmp_path / "t.xls")
    with pytest.raises(InputError, match=r"' is a folder; give a file"):
        read_table(tmp_path)
