import { readSeries } from './labels.ts'
import type { ExpositionLimits, FamilyMetadata, Label, Sample, Text } from './sample.ts'

/** Name of a metric family and its metadata in a comment. */
export type FamilyComment = { name: string; metadata: FamilyMetadata }

/** A comment line. `next`: grammar after it, if it is a TYPE. */
export type Comment = { family: FamilyComment | undefined; next: Grammar | undefined }

/** Rules for reading the text of a series. `type`: in the last TYPE, if it affects the labels of bounds. */
export type Grammar = { readonly open: boolean; readonly type: 'histogram' | 'summary' | undefined }

const grammars: readonly Grammar[] = [false, true].flatMap((open) =>
  ([undefined, 'histogram', 'summary'] as const).map((type) => ({ open, type })),
)

/** Interned grammar: the same object for equal arguments. */
export function grammarOf(open: boolean, type: string | undefined): Grammar {
  const [plain, ...others] = grammars.filter((one) => one.open === open)
  return others.find((one) => one.type === type) ?? plain ?? { open, type: undefined }
}

type Options = { keepEmpty: boolean; limits: ExpositionLimits }

/** Memory for the bytes of many texts, and the options for reading them. */
type Block = { bytes: Buffer; view: DataView; options: Options }

/** A text of a scrape: a series as exposed, name and labels, or a comment with its line break. */
export class CachedText implements Text {
  mark: unknown = undefined
  block: Block
  from: number
  readonly length: number
  readonly hash: number
  readonly grammar: Grammar
  readonly comment: Comment | undefined
  /** Next text with the same hash. */
  next: CachedText | undefined

  constructor(of: Pick<CachedText, 'block' | 'from' | 'length' | 'hash' | 'grammar' | 'comment'>) {
    this.block = of.block
    this.from = of.from
    this.length = of.length
    this.hash = of.hash
    this.grammar = of.grammar
    this.comment = of.comment
  }

  isAt(bytes: DataView, at: number): boolean {
    const { from, length } = this
    const { view } = this.block
    if (at + length > bytes.byteLength) return false
    let place = 0
    for (; place + 4 <= length; place += 4) if (bytes.getInt32(at + place) !== view.getInt32(from + place)) return false
    for (; place < length; place += 1) if (bytes.getInt8(at + place) !== view.getInt8(from + place)) return false
    return true
  }

  /** Parsed again each time: kept labels would take ten times the memory of their text. */
  labels(): Label[] {
    const { bytes, options } = this.block
    const text = bytes.toString('utf8', this.from, this.from + this.length)
    const { open, type } = this.grammar
    return readSeries({ text, at: 0, linesBefore: 0 }, { loose: !open, type, ...options })
  }
}

/** `own`: labels of a sample without `text`. */
export class CachedSample implements Sample {
  text: CachedText | undefined = undefined
  value = NaN
  timestampMs: number | undefined = undefined
  own: readonly Label[] | undefined = undefined

  get labels(): readonly Label[] {
    return this.own ?? this.text?.labels() ?? []
  }
}

/**
 * Scrape cache: texts of one target's last scrape, by their bytes, and its metadata. Replaces parsing: the same bytes in the
 * same grammar are the same series.
 */
export type ScrapeCache = {
  options: Options
  /** Texts in the order of that scrape. */
  order: readonly CachedText[]
  comments: readonly FamilyComment[]
  /** Metadata merged from `comments`. */
  metadata: ReadonlyMap<string, FamilyMetadata>
  find(bytes: DataView, from: number, to: number, grammar: Grammar): CachedText | undefined
  /** Adds a text; undefined if too many texts have its hash. */
  add(bytes: DataView, from: number, to: number, of: Pick<CachedText, 'grammar' | 'comment'>): CachedText | undefined
  /** Hands out the sample objects of the last scrape for reuse, once. */
  takeSamples(): CachedSample[]
  /** Stores the result of a scrape, in order. Drops texts of earlier scrapes once there are many. */
  keep(order: readonly CachedText[], comments: readonly FamilyComment[], samples: CachedSample[]): void
  clear(): void
}

const blockBytes = 64 * 1024
const maxAlike = 8 // with the same hash: a target chooses what it exposes
const spare = 1000

export function createScrapeCache(options: Options): ScrapeCache {
  let byHash = new Map<number, CachedText>()
  let samples: CachedSample[] = []
  let [count, block, used] = [0, blockOf(0), 0]

  function blockOf(size: number): Block {
    const bytes = Buffer.allocUnsafeSlow(size)
    return { bytes, view: viewOf(bytes), options }
  }

  function copy(bytes: Buffer, from: number, to: number): void {
    if (used + to - from > block.bytes.length) {
      block = blockOf(Math.max(blockBytes, to - from))
      used = 0
    }
    block.bytes.set(bytes.subarray(from, to), used)
    used += to - from
  }

  function list(text: CachedText): void {
    text.next = byHash.get(text.hash)
    byHash.set(text.hash, text)
    count += 1
  }

  function clear(): void {
    byHash = new Map()
    ;[count, block, used] = [0, blockOf(0), 0]
    samples = []
    Object.assign(known, nothing())
  }

  /** Keeps only the texts of one scrape, close together in memory. */
  function compact(order: readonly CachedText[]): void {
    byHash = new Map()
    ;[count, block, used] = [0, blockOf(0), 0]
    for (const text of new Set(order)) {
      copy(text.block.bytes, text.from, text.from + text.length)
      text.block = block
      text.from = used - text.length
      list(text)
    }
  }

  const known: ScrapeCache = {
    options,
    ...nothing(),
    find(bytes, from, to, grammar) {
      for (let text = byHash.get(hashOf(bytes, from, to)); text; text = text.next) {
        if (text.length === to - from && text.grammar === grammar && text.isAt(bytes, from)) return text
      }
      return undefined
    },
    add(bytes, from, to, of) {
      const hash = hashOf(bytes, from, to)
      let alike = 0
      for (let text = byHash.get(hash); text; text = text.next) alike += 1
      if (alike >= maxAlike) return undefined
      copy(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), from, to)
      const text = new CachedText({ ...of, block, from: used - (to - from), length: to - from, hash })
      list(text)
      return text
    },
    takeSamples() {
      const taken = samples
      samples = []
      return taken
    },
    keep(order, comments, used) {
      samples = used
      if (count > 2 * order.length + spare) compact(order)
      known.order = order
      if (comments.length === known.comments.length && comments.every((one, at) => one === known.comments[at])) return
      known.comments = comments
      const metadata = new Map<string, FamilyMetadata>()
      for (const one of comments) metadata.set(one.name, { ...metadata.get(one.name), ...one.metadata })
      known.metadata = metadata
    },
    clear,
  }
  return known
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}

const nothing = (): Pick<ScrapeCache, 'order' | 'comments' | 'metadata'> => ({
  order: [],
  comments: [],
  metadata: new Map(),
})

/** FNV-1a. */
function hashOf(bytes: DataView, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ bytes.getUint8(at), 0x01000193)
  return hash
}
