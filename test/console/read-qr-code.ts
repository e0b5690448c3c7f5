// What a phone's camera makes of a QR code on a page: its pixels, as the browser draws them, through a reader.
import type { Locator, Page } from "playwright-core";
import decodeQR from "qr/decode.js";

const side = 480;

/** Drawn in a page of its own, where no policy stands. */
export async function readQrCode(page: Page, code: Locator): Promise<string> {
  const picture = (await code.screenshot()).toString("base64");
  const other = await page.context().newPage();
  const pixels = await other.evaluate<number[]>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture}";
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: ${side}, height: ${side} });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, ${side}, ${side});
    return [...context.getImageData(0, 0, ${side}, ${side}).data];
  })()`);
  await other.close();
  return decodeQR({ width: side, height: side, data: Uint8Array.from(pixels) });
}
