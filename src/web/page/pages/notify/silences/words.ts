import { plural } from '../../../format.ts'

/** Label of the button that silences the same again. */
export function silenceAgainLabel(name: string): string {
  return `Silence ${name} again`
}

export function changeSilenceLabel(name: string): string {
  return `Change the silence of ${name}`
}

export function endSilenceLabel(name: string): string {
  return `End now: the silence of ${name}`
}

/** Silences in force that are not listed. */
export function notListedSentence(more: number): string {
  return plural(more, '# more is not listed.', '# more are not listed.')
}
