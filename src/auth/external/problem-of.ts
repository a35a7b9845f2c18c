/** Messages of an error and its causes, in one line, for the log and administrators. */
export function problemOf(error: unknown): string {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < 5; one = one.cause) messages.push(describe(one))
  return [...new Set(messages)].join(': ') || 'unknown error'
}

/** Message of an error; for an error that a provider reports, its code and description (RFC 6749, 4.1.2.1 and 5.2). */
export function describe(error: Error): string {
  const { error: word, error_description: more } = error as Error & { error?: unknown; error_description?: unknown }
  if (typeof word !== 'string') return error.message
  return typeof more === 'string' ? `${word} (${more})` : word
}
