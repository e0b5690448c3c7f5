// The lines of a PDF that src/text/pdf.ts made, as it has them: with \( for (.

export function pdfLines(bytes: Buffer): string[] {
  return [...bytes.toString("latin1").matchAll(/\((.*)\) Tj/g)].map(([, line]) => line!);
}
