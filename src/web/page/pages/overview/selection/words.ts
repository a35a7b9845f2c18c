import { formatNumber, formatTarget, plural } from '../../../format.ts'

/** Sentences about a change of several SLOs, by their number. */
export type DoneWords = { done: (count: number) => string; undone: (count: number) => string }

/** Messages about a label, such as `tier=1`, that was added to SLOs. */
export function labelAddedWords(label: string): DoneWords {
  return {
    done: (count) => plural(count, `# SLO: label ${label} added.`, `# SLOs: label ${label} added.`),
    undone: (count) => plural(count, `# SLO: label ${label} added, undone.`, `# SLOs: label ${label} added, undone.`),
  }
}

/** Messages about a label that was removed from SLOs. */
export function labelRemovedWords(label: string): DoneWords {
  return {
    done: (count) => plural(count, `# SLO: label ${label} removed.`, `# SLOs: label ${label} removed.`),
    undone: (count) =>
      plural(count, `# SLO: label ${label} removed, undone.`, `# SLOs: label ${label} removed, undone.`),
  }
}

/** Messages about a team that SLOs were assigned to. */
export function teamWords(team: string): DoneWords {
  return {
    done: (count) => plural(count, `# SLO: given to ${team}.`, `# SLOs: given to ${team}.`),
    undone: (count) => plural(count, `# SLO: given to ${team}, undone.`, `# SLOs: given to ${team}, undone.`),
  }
}

/** SLOs whose change was refused; the first refusal follows. */
export function notChangedSentence(count: number): string {
  return plural(count, '# SLO not changed.', '# SLOs not changed.')
}

/** Number of SLOs that are selected. */
export function selectedWords(selected: number): string {
  return plural(selected, '# SLO selected', '# SLOs selected')
}

/** Label of the button that selects all SLOs of the list. */
export function selectAllLabel(slos: number): string {
  return `All ${formatNumber(slos)}`
}

/** Title of the dialog that asks for a target. */
export function targetTitle(slos: number): string {
  return plural(slos, 'Target of # SLO', 'Target of # SLOs')
}

/** Title of the dialog that asks for a channel. */
export function notifyTitle(slos: number): string {
  return plural(slos, 'Notify of # SLO', 'Notify of # SLOs')
}

/** Hint with the current targets of the selected SLOs. `targets`: in percent, ascending, each once. */
export function targetHint(targets: readonly number[]): string {
  const [lowest, highest] = [targets[0] ?? 0, targets.at(-1) ?? 0].map(formatTarget)
  return targets.length > 4
    ? `Now ${lowest} to ${highest}. Another target counts at once, for the past too.`
    : `Now ${targets.map(formatTarget).join(', ')}. Another target counts at once, for the past too.`
}

/** Message about an export that failed. */
export function notExportedText(reason: string): string {
  return `Not exported: ${reason}`
}
