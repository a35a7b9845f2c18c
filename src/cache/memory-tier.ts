import { LRUCache } from 'lru-cache'
import type { EntryContent } from './entry.ts'

/** Contents of entries that were used lately, by their id; bounded by bytes. Off, it holds nothing. */
export type MemoryTier = {
  get(id: number): EntryContent | undefined
  /** Without its being a use. */
  peek(id: number): EntryContent | undefined
  set(id: number, content: EntryContent): void
  delete(id: number): void
  setEnabled(enabled: boolean): void
  bytesOf(organizationId: number): number
}

type Held = { content: EntryContent; bytes: number }

export const memoryTierBytes = 64 * 1024 * 1024

export function createMemoryTier(): MemoryTier {
  const contents = new LRUCache<number, Held>({ maxSize: memoryTierBytes, sizeCalculation: ({ bytes }) => bytes })
  let isEnabled = true
  return {
    get: (id) => contents.get(id)?.content,
    peek: (id) => contents.peek(id)?.content,
    set(id, content) {
      if (isEnabled) contents.set(id, { content, bytes: bytesOfContent(content) })
    },
    delete: (id) => void contents.delete(id),
    setEnabled(enabled) {
      isEnabled = enabled
      if (!enabled) contents.clear()
    },
    bytesOf(organizationId) {
      let sum = 0
      contents.forEach(({ content, bytes }) => {
        if (content.organizationId === organizationId) sum += bytes
      })
      return sum
    },
  }
}

const overheadBytes = 512

/** A string takes one byte a character, or two once it holds one character beyond Latin-1. */
export function bytesOfContent({ key, query, result }: EntryContent): number {
  return overheadBytes + bytesOfText(key) + bytesOfText(query) + bytesOfText(result)
}

function bytesOfText(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length
}
