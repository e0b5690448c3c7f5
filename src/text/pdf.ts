// Lines of text as a PDF of A4 pages: Courier, which every reader has, so that columns of characters line up and no font is embedded. It holds no
// time and no random id: the same lines give the same bytes.

export interface PdfLine {
  text: string;
  bold?: boolean;
}

const [width, height] = [595, 842];
const [margin, size, leading] = [42, 10, 15];
const linesPerPage = Math.floor((height - 2 * margin) / leading);

export function pdfOf(title: string, lines: readonly PdfLine[]): Buffer {
  const pages: string[] = [];
  for (let from = 0; from === 0 || from < lines.length; from += linesPerPage) pages.push(pageText(lines.slice(from, from + linesPerPage)));
  const firstPage = 6;
  const kids = pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(" ");
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    font("Courier"),
    font("Courier-Bold"),
    `<< /Title ${literal(title)} >>`,
    ...pages.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${firstPage + 2 * index + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  return assemble(objects);
}

function pageText(lines: readonly PdfLine[]): string {
  const shown = lines.map(({ text, bold }) => `/${bold === true ? "F2" : "F1"} ${size} Tf ${literal(text)} Tj T*`);
  return ["BT", `${leading} TL`, `${margin} ${height - margin - size} Td`, ...shown, "ET"].join("\n");
}

/** WinAnsi has Latin 1 only. */
export function isPdfText(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/.test(text);
}

/** Any other character is a question mark. */
function literal(text: string): string {
  const shown = Array.from(text, (character) => (isPdfText(character) ? character : "?")).join("");
  return `(${shown.replaceAll(/[\\()]/g, String.raw`\$&`)})`;
}

/** Each character is a byte. */
function assemble(objects: readonly string[]): Buffer {
  let text = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, "latin1");
}
