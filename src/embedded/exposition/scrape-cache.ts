import { type Grammar, readSeries, type SeriesOptions } from './labels.ts'
import type { FamilyMetadata, Label, Measurement } from './sample.ts'

/** Name of a metric family and its metadata in a comment. */
export type FamilyComment = { name: string; metadata: FamilyMetadata }

/** Memory for the bytes of many texts, and the options for reading them. */
type Block = { bytes: Buffer; view: DataView; options: SeriesOptions }

/**
 * A text of a scrape: a series as exposed, name and labels, or a HELP, TYPE or UNIT with its line break. `mark`: kept by the
 * code that stores the samples, to find the series again; other code may have replaced it.
 */
export class CachedText {
  mark: unknown = undefined
  block: Block
  from: number
  readonly length: number
  readonly hash: number
  readonly grammar: Grammar
  readonly comment: FamilyComment | undefined
  /** Next text with the same hash. */
  next: CachedText | undefined

  constructor(fields: Pick<CachedText, 'block' | 'from' | 'length' | 'hash' | 'grammar' | 'comment'>) {
    this.block = fields.block
    this.from = fields.from
    this.length = fields.length
    this.hash = fields.hash
    this.grammar = fields.grammar
    this.comment = fields.comment
  }

  isAt(bytes: DataView, at: number): boolean {
    const { from, length } = this
    const { view } = this.block
    if (at + length > bytes.byteLength) return false
    let offset = 0
    for (; offset + 4 <= length; offset += 4)
      if (bytes.getInt32(at + offset) !== view.getInt32(from + offset)) return false
    for (; offset < length; offset += 1) if (bytes.getInt8(at + offset) !== view.getInt8(from + offset)) return false
    return true
  }

  /** Parsed again each time: kept labels would take ten times the memory of their text. */
  labels(): Label[] {
    const { bytes, options } = this.block
    const bytesOfText = bytes.subarray(this.from, this.from + this.length)
    return readSeries({ bytes: bytesOfText, at: 0, linesBefore: 0 }, this.grammar, options)
  }
}

/** A line of an exposition. `text`: one object for the same labels, sorted by name; without it, `uncachedLabels` has them. */
export class Sample implements Measurement {
  text: CachedText | undefined = undefined
  value = NaN
  timestampMs: number | undefined = undefined
  uncachedLabels: readonly Label[] | undefined = undefined

  get labels(): readonly Label[] {
    return this.uncachedLabels ?? this.text?.labels() ?? []
  }
}

/** Bytes of a text, and their hash. */
type TextSlice = { bytes: Buffer; view: DataView; from: number; to: number; hash: number }

/**
 * Scrape cache: texts of one target's last scrape, by their bytes, and its metadata. Replaces parsing: the same bytes in the
 * same grammar are the same series.
 */
export type ScrapeCache = {
  options: SeriesOptions
  /** Texts in the order of that scrape. */
  order: readonly CachedText[]
  comments: readonly FamilyComment[]
  /** Metadata merged from `comments`. */
  metadata: ReadonlyMap<string, FamilyMetadata>
  find(slice: TextSlice, grammar: Grammar): CachedText | undefined
  /** Adds a text; undefined if too many texts have its hash. */
  add(slice: TextSlice, fields: Pick<CachedText, 'grammar' | 'comment'>): CachedText | undefined
  /** Hands out the sample objects of the last scrape for reuse, once. */
  takeSamples(): Sample[]
  /** Stores the result of a scrape, in order. Drops texts of earlier scrapes once there are many. */
  keep(order: readonly CachedText[], comments: readonly FamilyComment[], samples: Sample[]): void
  clear(): void
}

const blockBytes = 64 * 1024
/** Texts with the same hash: without a limit, a target could make each look-up slow. */
const maxTextsPerHash = 8
/** Texts of earlier scrapes are dropped once there are more of them than the last scrape has texts, plus this number. */
const maxSpareTexts = 1000

export function createScrapeCache(options: SeriesOptions): ScrapeCache {
  let byHash = new Map<number, CachedText>()
  let samples: Sample[] = []
  let [count, block, used] = [0, blockOf(0), 0] // number of texts, block that is being filled, and bytes used of it

  function blockOf(size: number): Block {
    const bytes = Buffer.allocUnsafeSlow(size)
    return { bytes, view: viewOf(bytes), options }
  }

  function copy(bytes: Buffer, from: number, to: number): void {
    if (used + to - from > block.bytes.length) {
      block = blockOf(Math.max(blockBytes, to - from))
      used = 0
    }
    used += bytes.copy(block.bytes, used, from, to)
  }

  function addToIndex(text: CachedText): void {
    text.next = byHash.get(text.hash)
    byHash.set(text.hash, text)
    count += 1
  }

  function clear(): void {
    byHash = new Map()
    ;[count, block, used] = [0, blockOf(0), 0]
    samples = []
    Object.assign(scrapeCache, emptyResult())
  }

  /** Keeps only the texts of one scrape, close together in memory. */
  function compact(order: readonly CachedText[]): void {
    byHash = new Map()
    ;[count, block, used] = [0, blockOf(0), 0]
    for (const text of new Set(order)) {
      copy(text.block.bytes, text.from, text.from + text.length)
      text.block = block
      text.from = used - text.length
      addToIndex(text)
    }
  }

  const scrapeCache: ScrapeCache = {
    options,
    ...emptyResult(),
    find({ view, from, to, hash }, grammar) {
      for (let text = byHash.get(hash); text; text = text.next) {
        if (text.length === to - from && text.grammar === grammar && text.isAt(view, from)) return text
      }
      return undefined
    },
    add({ bytes, from, to, hash }, fields) {
      let sameHash = 0
      for (let text = byHash.get(hash); text; text = text.next) sameHash += 1
      if (sameHash >= maxTextsPerHash) return undefined
      copy(bytes, from, to)
      const text = new CachedText({ ...fields, block, from: used - (to - from), length: to - from, hash })
      addToIndex(text)
      return text
    },
    takeSamples() {
      const reusable = samples
      samples = []
      return reusable
    },
    keep(order, comments, usedSamples) {
      samples = usedSamples
      if (count > 2 * order.length + maxSpareTexts) compact(order)
      scrapeCache.order = order
      if (
        comments.length === scrapeCache.comments.length &&
        comments.every((one, at) => one === scrapeCache.comments[at])
      )
        return
      scrapeCache.comments = comments
      const metadata = new Map<string, FamilyMetadata>()
      for (const one of comments) metadata.set(one.name, { ...metadata.get(one.name), ...one.metadata })
      scrapeCache.metadata = metadata
    },
    clear,
  }
  return scrapeCache
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}

const emptyResult = (): Pick<ScrapeCache, 'order' | 'comments' | 'metadata'> => ({
  order: [],
  comments: [],
  metadata: new Map(),
})

/** Bytes of a text with their hash, FNV-1a. */
export function textSlice(bytes: Buffer, view: DataView, from: number, to: number): TextSlice {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193)
  return { bytes, view, from, to, hash }
}
