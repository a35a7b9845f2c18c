/** Label of the button that notifies a channel of all SLOs. */
export function notifyOfAllWords(channel: string): string {
  return `Notify ${channel} of every SLO`
}
