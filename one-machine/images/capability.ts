/** File capabilities in a layer: extended attributes of bytes that are no text, which tar-stream cannot write. */

const BLOCK = 512
/** Version 2 of the attribute, with the bit by which the program has its capabilities from the start. */
const VERSION = 0x02000001

/** The entry before a file in the archive that gives the file the capabilities of these bits, of the first 32. */
export function capabilityHeader(path: string, capabilities: number): Buffer {
  const value = Buffer.alloc(20)
  value.writeUInt32LE(VERSION, 0)
  value.writeUInt32LE(capabilities, 4)
  const body = Buffer.concat([Buffer.from(' SCHILY.xattr.security.capability='), value, Buffer.from('\n')])
  // The length of a record counts its own digits; they are two below 100.
  const record = Buffer.concat([Buffer.from(String(body.length + 2)), body])
  const padded = Buffer.alloc(Math.ceil(record.length / BLOCK) * BLOCK)
  record.copy(padded)
  return Buffer.concat([paxHeader(`PaxHeaders/${path.split('/').at(-1)}`, record.length), padded])
}

/**
 * A ustar header of the type of extended headers: numbers in octal, and a sum over all with blanks in its own place.
 */
function paxHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const fields: readonly (readonly [at: number, text: string])[] = [
    [0, name],
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    [136, octal(0, 11)],
    [148, ' '.repeat(8)],
    [156, 'x'],
    [257, 'ustar\u000000'],
  ]
  for (const [at, text] of fields) header.write(text, at, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\u0000 `, 148, 'latin1')
  return header
}
