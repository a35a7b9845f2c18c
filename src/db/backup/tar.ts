/** A regular file of a tar archive, as its header describes it. */
export type TarEntry = { name: string; size: number }

export const blockBytes = 512

const offsets = {
  name: 0,
  mode: 100,
  uid: 108,
  gid: 116,
  size: 124,
  modified: 136,
  sum: 148,
  type: 156,
  magic: 257,
} as const
const maxOctal = 0o77777777777

/** Header block of a file of mode 600; `name`: at most 99 bytes. */
export function tarHeader({ name, size }: TarEntry, modifiedMs: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  block.write(name, offsets.name, 'latin1')
  putOctal(block, offsets.mode, 8, 0o600)
  putOctal(block, offsets.uid, 8, 0)
  putOctal(block, offsets.gid, 8, 0)
  if (size <= maxOctal) putOctal(block, offsets.size, 12, size)
  else {
    block[offsets.size] = 0x80 // in binary, as GNU tar writes sizes above 8 GiB
    block.writeBigUInt64BE(BigInt(size), offsets.size + 4)
  }
  putOctal(block, offsets.modified, 12, Math.floor(modifiedMs / 1000))
  block.write('0', offsets.type, 'latin1')
  block.write('ustar\x0000', offsets.magic, 'latin1')
  putOctal(block, offsets.sum, 7, sumOf(block))
  block[offsets.sum + 7] = 0x20
  return block
}

/** Parses a header block; `null` for the empty block that ends an archive. Throws if it is no header of a regular file. */
export function readTarHeader(block: Buffer): (TarEntry & { modifiedMs: number }) | null {
  if (block.every((byte) => byte === 0)) return null
  if (
    octalAt(block, offsets.sum, 8) !== sumOf(block) ||
    block.toString('latin1', offsets.type, offsets.type + 1) !== '0'
  ) {
    throw new Error('no header of a file where one has to be')
  }
  const name = textAt(block, offsets.name, 100)
  const size =
    block[offsets.size] === 0x80 ? Number(block.readBigUInt64BE(offsets.size + 4)) : octalAt(block, offsets.size, 12)
  return { name, size, modifiedMs: octalAt(block, offsets.modified, 12) * 1000 }
}

/** Number of zeros after contents, up to the next block. */
export function paddingBytes(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}

function putOctal(block: Buffer, offset: number, length: number, value: number): void {
  block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1')
}

function octalAt(block: Buffer, offset: number, length: number): number {
  return Number.parseInt(textAt(block, offset, length), 8)
}

function textAt(block: Buffer, offset: number, length: number): string {
  return block.toString('latin1', offset, offset + length).replace(/\0.*$/s, '')
}

/** Checksum: the sum of all bytes, with spaces in place of the checksum field. */
function sumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= offsets.sum && index < offsets.sum + 8 ? 0x20 : byte), 0)
}
