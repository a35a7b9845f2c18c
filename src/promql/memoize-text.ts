const defaultBounds = { maxTexts: 1000, maxCharacters: 2000 }

/** Memoizes `compute` for the `maxTexts` most recently used texts of at most `maxCharacters`: clients repeat the same few. */
export function memoizeByText<T>(
  compute: (text: string) => T,
  { maxTexts, maxCharacters }: typeof defaultBounds = defaultBounds,
): (text: string) => T {
  const memoized = new Map<string, { value: T }>()
  return (text) => {
    if (text.length > maxCharacters) return compute(text)
    const entry = memoized.get(text) ?? { value: compute(text) }
    memoized.delete(text)
    memoized.set(text, entry)
    for (const oldest of memoized.keys().take(Math.max(0, memoized.size - maxTexts))) memoized.delete(oldest)
    return entry.value
  }
}
