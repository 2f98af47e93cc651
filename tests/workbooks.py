"""Excel workbooks for tests, written without a library for them."""

import zipfile
from xml.sax.saxutils import escape


def write_xlsx(path, *sheets):
    """A workbook with the parts that every reader asks for; each sheet is a list of rows."""
    names = [f"Sheet{i}" for i in range(1, len(sheets) + 1)]
    relations = "".join(
        f'<Relationship Id="r{i}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        f'Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(names, 1))
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    links = f'<Relationships xmlns="{package}/relationships">{{}}</Relationships>'
    whole = f'<Relationship Id="w" Type="{document}/officeDocument" Target="xl/workbook.xml"/>'
    book = f'<workbook xmlns="{main}" xmlns:r="{document}"><sheets>{listed}</sheets></workbook>'
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        file.writestr("_rels/.rels", links.format(whole))
        file.writestr("xl/_rels/workbook.xml.rels", links.format(relations))
        file.writestr("xl/workbook.xml", book)
        for i, rows in enumerate(sheets, 1):
            body = "".join(
                f'<row r="{r}">{"".join(_cell(r, c, value) for c, value in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            file.writestr(
                f"xl/worksheets/sheet{i}.xml", f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
            )
    return path


def _cell(row, column, value):
    place = f'r="{"ABCDEFGH"[column]}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}><v>{value!r}</v></c>"
