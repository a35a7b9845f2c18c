/** Label of the button that notifies a channel of all SLOs. */
export function notifyOfAllWords(channel: string): string {
  return `Notify ${channel} of every SLO`
}

/** Message after a channel became one of all SLOs. */
export function notifiedOfAllText(channel: string): string {
  return `${channel} is notified of every SLO.`
}
