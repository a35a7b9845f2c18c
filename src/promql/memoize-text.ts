const usual = { maxTexts: 1000, maxCharacters: 2000 }

/** Memoizes `compute` for the `maxTexts` most recently used texts of at most `maxCharacters`: clients repeat the same few. */
export function perText<T>(
  compute: (text: string) => T,
  { maxTexts, maxCharacters }: typeof usual = usual,
): (text: string) => T {
  const known = new Map<string, { value: T }>()
  return (text) => {
    if (text.length > maxCharacters) return compute(text)
    const found = known.get(text) ?? { value: compute(text) }
    known.delete(text)
    known.set(text, found)
    for (const oldest of known.keys().take(Math.max(0, known.size - maxTexts))) known.delete(oldest)
    return found.value
  }
}
