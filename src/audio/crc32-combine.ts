// The CRC-32 of two texts in a row from those of each: summing up a megabyte again costs more than all the rest of a request. The
// arithmetic is zlib's crc32_combine: polynomials over two elements, modulo that of CRC-32, their lowest power in the highest bit.

const modulus = 0xedb88320;
/** x to the power of 0. */
const one = 0x80000000;

/** What a sum is multiplied by when so many bytes follow. */
export function shiftOver(bytes: number): number {
  let shift = one;
  let power = 0x00800000; // x to the power of 8: one byte
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(power, shift);
    power = multiply(power, power);
  }
  return shift;
}

/** `shift` is shiftOver(the length of the second). */
export function combineSums(first: number, second: number, shift: number): number {
  return (multiply(shift, first) ^ second) >>> 0;
}

function multiply(left: number, right: number): number {
  let product = 0;
  let term = right;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) product ^= term;
    term = (term & 1) === 1 ? (term >>> 1) ^ modulus : term >>> 1;
  }
  return product >>> 0;
}
