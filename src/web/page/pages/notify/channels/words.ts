import { formatClockSeconds } from '../../../format.ts'

/** Result of a test: its time, and the sentences of the server. */
export function testedSentences(atMs: number, text: string): string {
  return `Test at ${formatClockSeconds(atMs)}. ${text}`
}

/** Message after a channel was switched. */
export function switchedText(name: string, isOn: boolean): string {
  return isOn ? `${name}: switched on.` : `${name}: switched off.`
}
