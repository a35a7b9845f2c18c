import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/** Bytes read in a step of the search, and at each place where the order is checked; a line has about 45. */
const blockBytes = 16_384
/** First steps of the search, which interpolate, because hashes are spread evenly; later steps halve the range. */
const maxInterpolations = 8
const maxSteps = 64
/** Steps between the places of a file at which its order is checked. */
const checkedPlaces = 64

/** Line of the file: its hash, and the positions in bytes at which it begins and the next line begins. */
type Entry = { hash: string; at: number; end: number }

/**
 * Throws unless a file has SHA-1 hashes of passwords as the downloader of Have I Been Pwned writes them: lines `HASH:COUNT`,
 * sorted by hash. Checks only some places of the file.
 */
export function assertBreachedPasswords(path: string): void {
  try {
    assertFile(statSync(path))
    const file = openSync(path, 'r')
    try {
      assertSorted(file)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`BREACHED_PASSWORDS_FILE: ${path}: ${problem}`, { cause })
  }
}

/** Throws if it is not a regular file: reading a pipe could wait forever. */
function assertFile(stats: Stats): void {
  if (!stats.isFile()) throw new Error('is not a file')
}

function assertSorted(file: number): void {
  const { size } = fstatSync(file)
  let last = { hash: '', at: -1 }
  for (let place = 0; place <= checkedPlaces; place += 1) {
    const at = Math.round((Math.max(0, size - blockBytes) * place) / checkedPlaces)
    const block = Buffer.alloc(Math.min(blockBytes, size - at))
    const bytes = readSync(file, block, 0, block.length, at)
    for (const entry of entriesIn(block.subarray(0, bytes), at, size)) {
      if (entry.at <= last.at) continue // blocks of a small file overlap
      assertOrder(last.hash, entry.hash)
      last = entry
    }
  }
}

function assertOrder(hash: string, nextHash: string): void {
  if (nextHash <= hash) throw new Error(`is not sorted by hash: ${hash} comes before ${nextHash}`)
}

/**
 * True if a password is in the file, which `assertBreachedPasswords` has accepted. Reads only a few blocks of the file. Throws if
 * the file cannot be read, or has been replaced by one that is empty or not sorted.
 */
export async function isBreached(path: string, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  assertFile(await stat(path))
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size === 0) throw new Error(notAsWritten)
  const target = fractionOf(hash)
  // interpolation search: the line of the hash begins in [low.at, high.at)
  let low = { at: 0, fraction: 0, hash: '' }
  let high = { at: size, fraction: 1, hash: 'G' } // sorts after all hexadecimal digits
  for (let step = 0; step < maxSteps && low.at < high.at; step += 1) {
    const isLast = high.at - low.at <= blockBytes
    const width = high.fraction - low.fraction
    const share = step < maxInterpolations && width > 0 ? (target - low.fraction) / width : 1 / 2
    const guess = Math.round(low.at + (high.at - low.at) * share - blockBytes / 2)
    const at = isLast ? low.at : Math.max(low.at, Math.min(guess, high.at - blockBytes))
    const block = Buffer.alloc(blockBytes + 128) // with the rest of the line in which the block ends
    const { bytesRead } = await file.read(block, 0, block.length, at)
    const entries = entriesIn(block.subarray(0, bytesRead), at, size, at === low.at)
    const [first, last] = [entries[0], entries.at(-1)]
    if (!first || !last) throw new Error(notAsWritten)
    const inside = entries.filter((entry) => entry.at < high.at) // a block may reach beyond `high`
    const hashes = [low.hash, ...inside.map((entry) => entry.hash), high.hash]
    for (const [index, nextHash] of hashes.slice(1).entries()) assertOrder(hashes[index] ?? '', nextHash)
    if (hash >= first.hash && hash <= last.hash) return entries.some((entry) => entry.hash === hash)
    if (isLast) return false
    if (hash < first.hash) high = { at: first.at, fraction: fractionOf(first.hash), hash: first.hash }
    else low = { at: last.end, fraction: fractionOf(last.hash), hash: last.hash }
  }
  return false
}

/**
 * Whole lines of a block that begins `at` bytes into a file of `size`. `isAtLine`: a line begins there. Throws for a line of
 * another form.
 */
function entriesIn(block: Buffer, at: number, size: number, isAtLine = at === 0): Entry[] {
  const entries: Entry[] = []
  let start = isAtLine ? 0 : block.indexOf(10) + 1
  if (start === 0 && !isAtLine) throw new Error(notAsWritten)
  while (start < block.length) {
    const found = block.indexOf(10, start)
    if (found === -1 && at + block.length < size) break // its end is in the next block
    const end = found === -1 ? block.length : found
    const line = block.toString('latin1', start, end)
    const hash = /^([\dA-Fa-f]{40}):\d+\r?$/.exec(line)?.[1]
    if (hash === undefined) throw new Error(notAsWritten)
    entries.push({ hash: hash.toUpperCase(), at: at + start, end: at + end + 1 })
    start = end + 1
  }
  if (entries.length === 0) throw new Error(notAsWritten)
  return entries
}

const notAsWritten = 'has to have a line SHA1:COUNT for each password, as the downloader of Have I Been Pwned writes it'

/** Share of all hashes that come before this one. */
function fractionOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16) / 2 ** 48
}
