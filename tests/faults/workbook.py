"""The smallest workbook that a spreadsheet program opens, for tests that need one."""

import html
import io
import zipfile

TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def workbook(sheets):
    """Give the bytes of a workbook with these sheets, lists of rows by name."""
    out = io.BytesIO()
    numbered = list(enumerate(sheets.items(), 1))
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{CONTENT}.worksheet+xml"/>' for n, _ in numbered
    )
    listed = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, (name, _) in numbered)
    joined = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n, _ in numbered
    )
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>{parts}</Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        )
        file.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{RELATIONS}">{joined}</Relationships>')
        for n, (_, rows) in numbered:
            file.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows))
    return out.getvalue()


def _sheet(rows):
    body = "".join(
        f'<row r="{r}">{"".join(_cell(f"{chr(65 + c)}{r}", value) for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'


def _cell(at, value):
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{value}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t>{html.escape(str(value))}</t></is></c>'
