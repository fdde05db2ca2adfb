/**
 * A short hash of `text` in the characters 0-9 and a-z. It has 58 bits, so collisions are very unlikely. Not for secrets.
 * (`node:crypto` has better hashes, but loading it adds 10 ms to a cold start.)
 *
 * @param length - In characters, at most 13. Default 12.
 */
export function shortHash(text: string, length = 12): string {
  const [high, low] = mix(text);
  return (high.toString(36).padStart(7, "0") + low.toString(36).padStart(7, "0")).slice(-length);
}

/** Two lanes of multiply and shift over the UTF-16 units, mixed into each other at the end. */
function mix(text: string): [number, number] {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193) ^ (b >>> 15);
    b = Math.imul(b ^ unit, 0x27d4eb2f) ^ (a >>> 13);
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d) ^ Math.imul(b ^ (b >>> 15), 0x846ca68b);
  b = Math.imul(b ^ (b >>> 16), 0xc2b2ae35) ^ Math.imul(a ^ (a >>> 13), 0x27d4eb2f);
  return [a >>> 0, b >>> 0];
}
