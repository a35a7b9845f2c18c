/** Sentence above the changes. */
export function newsSentence({ version, upgraded_from }: { version: string; upgraded_from: string | null }): string {
  if (upgraded_from === null) return `This is nines ${version}.`
  return `This is nines ${version}. Before the upgrade it was ${upgraded_from}.`
}
