/** Headers that a proxy signs people in by, and its addresses. */
export function proxyWords(headers: readonly string[], addresses: readonly string[]): string {
  const names = headers.join(', ')
  return addresses.length === 0 ? `${names} from no address` : `${names} from ${addresses.join(', ')}`
}

/** Result of a test of the provider. `problem`: null: it answers. */
export function testedText(provider: string, problem: string | null): string {
  return problem === null ? `${provider} answers.` : `${provider}: ${problem}`
}
