import { wordsOf, type Columns } from '../columns.ts'

/**
 * Some samples in the order in which they came, each as what differs from the one before: cheap to add to and to read, for
 * samples that are in memory only. `fromMs`, `toMs`: the earliest and the latest of them.
 */
export type Block = {
  bytes: Uint8Array
  used: number
  count: number
  fromMs: number
  toMs: number
  /** The last sample, and the step of time to it; the value as two words, which JavaScript does not change. */
  lastMs: number
  stepMs: number
  low: number
  high: number
}

const blockBytes = 256
const maxBytesEach = 17
const sameStep = 128

const spare: Block[] = [] // old garbage is collected late, and the next head needs as many
const maxSpare = 10_000

export function newBlock(): Block {
  const none = { used: 0, count: 0, fromMs: Infinity, toMs: -Infinity, lastMs: 0, stepMs: 0, low: 0, high: 0 }
  const before = spare.pop()
  return before ? Object.assign(before, none) : { bytes: new Uint8Array(blockBytes), ...none }
}

/** It is for others, and must not be read any more. */
export function freeBlock(block: Block): void {
  if (spare.length < maxSpare) spare.push(block)
}

/**
 * Adds a sample; false where there is no room. It begins with a byte: whether the step of time is the last one, how many
 * bytes of the value differ, and how many behind these do not. The change of the step follows, and these bytes.
 */
export function addSample(block: Block, timeMs: number, low: number, high: number): boolean {
  const { bytes } = block
  let at = block.used
  if (at + maxBytesEach > blockBytes) return false
  const stepMs = timeMs - block.lastMs
  const change = stepMs - block.stepMs
  const lower = low ^ block.low
  const upper = high ^ block.high
  const differs = (lower | upper) !== 0
  const behind = differs ? (lower !== 0 ? zerosBehind(lower) : 32 + zerosBehind(upper)) >>> 3 : 0
  const before = (upper !== 0 ? Math.clz32(upper) : 32 + Math.clz32(lower)) >>> 3
  const count = differs ? 8 - before - behind : 0
  bytes[at] = (change === 0 ? sameStep : 0) | (count << 3) | behind
  at += 1
  if (change !== 0) at = writeInteger(bytes, at, change)
  for (let place = behind; place < behind + count; place += 1) {
    bytes[at] = place < 4 ? lower >>> (8 * place) : upper >>> (8 * place - 32)
    at += 1
  }
  block.used = at
  block.count += 1
  if (timeMs < block.fromMs) block.fromMs = timeMs
  if (timeMs > block.toMs) block.toMs = timeMs
  block.lastMs = timeMs
  block.stepMs = stepMs
  block.low = low | 0
  block.high = high | 0
  return true
}

/** Adds its samples to others that have room for them. */
export function readBlock({ bytes, count }: Block, into: Columns): void {
  const { timesMs } = into
  const words = wordsOf(into.values)
  let at = 0
  let timeMs = 0
  let stepMs = 0
  let low = 0
  let high = 0
  for (let index = into.length; index < into.length + count; index += 1) {
    const head = bytes[at] ?? 0
    at += 1
    if (head < sameStep) {
      let code = 0
      let unit = 1
      let byte = sameStep
      for (; byte >= sameStep; at += 1) {
        byte = bytes[at] ?? 0
        code += (byte & 127) * unit
        unit *= 128
      }
      stepMs += code % 2 === 0 ? code / 2 : -(code + 1) / 2
    }
    timeMs += stepMs
    const from = head & 7
    const to = from + ((head >>> 3) & 15)
    for (let place = from; place < to; place += 1) {
      const byte = bytes[at] ?? 0
      at += 1
      if (place < 4) low ^= byte << (8 * place)
      else high ^= byte << (8 * place - 32)
    }
    timesMs[index] = timeMs
    words[2 * index] = low
    words[2 * index + 1] = high
  }
  into.length += count
}

/** 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …, seven bits a byte. */
function writeInteger(bytes: Uint8Array, from: number, integer: number): number {
  let code = integer >= 0 ? 2 * integer : -2 * integer - 1
  let at = from
  for (; code >= 2 ** 31; at += 1) {
    bytes[at] = (code % 128) + 128
    code = Math.floor(code / 128)
  }
  let word = code | 0 // quicker than a number of any size
  for (; word >= 128; at += 1) {
    bytes[at] = word | 128
    word >>>= 7
  }
  bytes[at] = word
  return at + 1
}

function zerosBehind(word: number): number {
  return 31 - Math.clz32(word & -word)
}
