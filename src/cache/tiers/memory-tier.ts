import type { EntryContent } from '../entry.ts'
import { createFairLru } from './fair-lru.ts'

type Id = { id: number; organizationId: number }

/** Contents of entries that were used lately, bounded by bytes; beyond, the organization that holds most gives room. Off, it holds nothing. */
export type MemoryTier = {
  get(entry: Id): EntryContent | undefined
  /** Without its being a use. */
  peek(entry: Id): EntryContent | undefined
  set(entry: Id, content: EntryContent): void
  delete(entry: Id): void
  setEnabled(enabled: boolean): void
  bytesOf(organizationId: number): number
}

type Held = { content: EntryContent; bytes: number }

export const memoryTierBytes = 64 * 1024 * 1024

export function createMemoryTier(): MemoryTier {
  const contents = createFairLru<number, Held>({ rank: 'weight', weigh: ({ bytes }) => bytes })
  let isEnabled = true
  return {
    get: ({ id, organizationId }) => contents.get(organizationId, id)?.content,
    peek: ({ id, organizationId }) => contents.peek(organizationId, id)?.content,
    set({ id, organizationId }, content) {
      if (!isEnabled) return
      contents.set(organizationId, id, { content, bytes: bytesOfContent(content) })
      while (contents.weight > memoryTierBytes) contents.takeOfLargest()
    },
    delete: ({ id, organizationId }) => contents.delete(organizationId, id),
    setEnabled(enabled) {
      isEnabled = enabled
      if (!enabled) contents.clear()
    },
    bytesOf: contents.weightOf,
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
