import { formatNumber, formatTarget, plural } from '../format.ts'

/** Sentences about a change of several SLOs. */
export type ChangeWords = {
  /** SLOs that were changed, by their number. */
  changed: (count: number) => string
  /** Request that was refused; the reason follows. */
  failed: string
  /** Single SLO that was refused; the reason follows. */
  failedOf: (name: string) => string
  /** SLOs that were refused, among all of the request; they follow. */
  refused: (count: number, all: number) => string
}

const amount = (count: number, all: number) => `${formatNumber(count)} of ${formatNumber(all)}`

export const pauseWords: ChangeWords = {
  changed: (count) => plural(count, '# SLO: paused.', '# SLOs: paused.'),
  failed: 'Not paused.',
  failedOf: (name) => `${name}: not paused.`,
  refused: (count, all) => `${amount(count, all)} not paused:`,
}

export const resumeWords: ChangeWords = {
  changed: (count) => plural(count, '# SLO: resumed.', '# SLOs: resumed.'),
  failed: 'Not resumed.',
  failedOf: (name) => `${name}: not resumed.`,
  refused: (count, all) => `${amount(count, all)} not resumed:`,
}

export const deleteWords: ChangeWords = {
  changed: (count) => plural(count, '# SLO: deleted.', '# SLOs: deleted.'),
  failed: 'Not deleted.',
  failedOf: (name) => `${name}: not deleted.`,
  refused: (count, all) => `${amount(count, all)} not deleted:`,
}

export const restoreWords: ChangeWords = {
  changed: (count) => plural(count, '# SLO: restored.', '# SLOs: restored.'),
  failed: 'Not restored.',
  failedOf: (name) => `${name}: not restored.`,
  refused: (count, all) => `${amount(count, all)} not restored:`,
}

export function targetWords(targetPercent: number): ChangeWords {
  const target = `${formatTarget(targetPercent)} %`
  return {
    changed: (count) => plural(count, `# SLO: target ${target}.`, `# SLOs: target ${target}.`),
    failed: `The target is not set to ${target}.`,
    failedOf: (name) => `${name}: the target is not set to ${target}.`,
    refused: (count, all) => `${amount(count, all)} not set to the target ${target}:`,
  }
}

export function notifyWords(channel: string): ChangeWords {
  return {
    changed: (count) => plural(count, `# SLO: ${channel} is notified.`, `# SLOs: ${channel} is notified.`),
    failed: `${channel} is not notified.`,
    failedOf: (name) => `${name}: ${channel} is not notified.`,
    refused: (count, all) => `${channel} is not notified of ${amount(count, all)}:`,
  }
}

/** SLOs that a change left as they were, since it had been made before. */
export function unchangedSentence(count: number): string {
  return plural(count, '# SLO had it before.', '# SLOs had it before.')
}
