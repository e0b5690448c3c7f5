// Money is integers. An Amount is what the ledger holds, a Price what one unit costs; both are bigint.
// Amounts leave this file as USD numbers only for answers, prices only as catalog numbers.

/** An amount of money in units of 1e-8 USD. */
export type Amount = bigint;

/** The price of one token, character, second or image in units of 1e-12 USD. */
export type Price = bigint;

const amountsPerUsd = 100_000_000n;
export const cent: Amount = amountsPerUsd / 100n;
const pricesPerUsd = 1_000_000_000_000n;
const pricesPerAmount = pricesPerUsd / amountsPerUsd;

/** Token prices are stated per this many tokens. */
export const million = 1_000_000n;

/** Reads a USD figure from the catalog or a command line; at most 8 decimals, else undefined. */
export function parseUsd(text: string): Amount | undefined {
  return parseDecimal(text, 8);
}

/** A USD figure that a request holds as a number; at most 8 decimals, else undefined. */
export function amountFromUsd(usd: number): Amount | undefined {
  return parseUsd(decimalText(usd));
}

/** Price of one unit from "USD per `units` units" (a catalog's USD per million tokens: units = 1_000_000n). */
export function priceFromUsd(usd: number, units: bigint = 1n): Price {
  const scaled = parseDecimal(decimalText(usd), 18); // six decimals more than a Price, so that per-million prices stay exact
  if (scaled === undefined) throw new RangeError(`not a price: ${usd}`);
  return ceilDiv(scaled, 1_000_000n * units);
}

/** USD for answers. Exact as decimal text for every balance below 60 million USD (docs/behaviour/billing.md#amounts). */
export function toUsd(amount: Amount): number {
  return Number(amount) / Number(amountsPerUsd);
}

/** USD as text without exponent or trailing zeros: headers and command line. */
export function usdText(amount: Amount): string {
  return scaledText(amount, 8);
}

/** A sum of units at prices, as text and not rounded. */
export function exactUsdText(sum: Price): string {
  return scaledText(sum, 12);
}

/** A number of units and the price of each. */
export type CostLine = readonly [units: number | bigint, price: Price];

/** The one rounding of a request: a sum of (units x price) becomes an amount, rounded up to 1e-8 USD. */
export function costOf(lines: readonly CostLine[]): Amount {
  return amountOf(exactSum(lines));
}

/** costOf for a sum that was computed before. */
export function amountOf(sum: Price): Amount {
  return ceilDiv(sum, pricesPerAmount);
}

/** Units at a price that is given for `per` of them: 1, a thousand or a million. */
export interface RateLine {
  units: bigint;
  price: Price;
  per: bigint;
}

/** costOf for prices of more than one unit: still exact until its one rounding. */
export function costOfRates(lines: readonly RateLine[]): Amount {
  return ceilDiv(rateSum(lines), pricesPerAmount * million);
}

/** The same sum as text and not rounded. */
export function exactRateText(lines: readonly RateLine[]): string {
  return scaledText(rateSum(lines), 18);
}

function rateSum(lines: readonly RateLine[]): bigint {
  return lines.reduce((sum, { units, price, per }) => sum + units * price * (million / per), 0n);
}

/** Up to the next whole `step`. */
export function roundUpTo(amount: Amount, step: Amount): Amount {
  return ceilDiv(amount, step) * step;
}

/** The most units of `price` that an amount can pay beside `lines`; below 0 where it cannot pay the lines. */
export function affordableUnits(amount: Amount, price: Price, lines: readonly CostLine[] = []): bigint {
  const left = priceFromAmount(amount) - exactSum(lines);
  if (left < 0n) return -1n;
  return price === 0n ? BigInt(Number.MAX_SAFE_INTEGER) : left / price;
}

/** A sum of units at prices, not rounded. */
export function exactSum(lines: readonly CostLine[]): Price {
  return lines.reduce((sum, [units, price]) => sum + BigInt(units) * price, 0n);
}

/** An amount as the price of one unit. */
export function priceFromAmount(amount: Amount): Price {
  return amount * pricesPerAmount;
}

/** The price as USD per `units`, for catalog rows. */
export function usdFromPrice(price: Price, units: bigint = 1n): number {
  return Number(price * units) / Number(pricesPerUsd);
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return dividend <= 0n ? dividend / divisor : (dividend - 1n) / divisor + 1n;
}

/** The shortest decimal text of a number, never in exponent form: 1e-7 is "0.0000001". */
function decimalText(value: number): string {
  const [mantissa = "0", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  const digits = mantissa.replace(/[-.]/g, "");
  const point = mantissa.replace("-", "").indexOf(".") < 0 ? digits.length : mantissa.replace("-", "").indexOf(".");
  const moved = point + Number(exponent);
  const text = moved <= 0 ? `0.${"0".repeat(-moved)}${digits}` : digits.padEnd(moved, "0");
  return value < 0 ? `-${text}` : text;
}

function parseDecimal(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text);
  if (!match || (match[3] ?? "").length > decimals) return undefined;
  const scaled = BigInt(match[2] + (match[3] ?? "").padEnd(decimals, "0"));
  return match[1] === "-" ? -scaled : scaled;
}

function scaledText(value: bigint, decimals: number): string {
  const sign = value < 0n ? "-" : "";
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -decimals)}${fraction === "" ? "" : `.${fraction}`}`;
}
