// A QR code, dark on white in both themes, because not every camera reads the reverse.
import encodeQR from "qr";
import { type ReactNode, useMemo } from "react";

export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const rows = useMemo(() => encodeQR(text, "raw", { ecc: "medium", border: 4 }), [text]);
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-lg border border-line"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
