/** Names the data behind the budget that comes back. `hasDays`: it is days. */
export function holdsSentence(hasDays: boolean): string {
  const holds = 'The figures hold if nothing else fails and traffic stays as it was.'
  return hasDays ? `${holds} Days are those of UTC.` : holds
}
