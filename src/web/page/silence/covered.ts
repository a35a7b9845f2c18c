import type { OverviewSlo } from '../api/types.ts'
import type { SilenceTarget } from './request.ts'

/** SLOs selected in the dialog that creates a silence. `slo` with `id` null: none chosen yet. */
export type SilenceSelection =
  | { kind: 'slo'; id: number | null }
  | { kind: 'slos'; ids: readonly number[] }
  | { kind: 'team'; team: string }
  | { kind: 'labels'; labels: Readonly<Record<string, string>> }

type Labelled = Pick<OverviewSlo, 'id' | 'name' | 'labels' | 'team_name'>

/** Initial selection: a given target, otherwise the team by its name; null if the user has to choose. */
export function selectionOf(target: SilenceTarget | null, team?: string): SilenceSelection | null {
  if (target?.labels) return { kind: 'labels', labels: target.labels }
  if (target) {
    const [id, ...others] = target.sloIds
    return id !== undefined && others.length === 0 ? { kind: 'slo', id } : { kind: 'slos', ids: target.sloIds }
  }
  return team === undefined ? null : { kind: 'team', team }
}

/**
 * SLOs that a selection covers now, and the target to silence. Labels are a target even if no SLO has them, because they also cover
 * later SLOs. `target` null: there is nothing to silence.
 */
export function resolveSelection<S extends Labelled>(
  selection: SilenceSelection,
  slos: readonly S[],
): { covered: S[]; target: SilenceTarget | null } {
  if (selection.kind === 'labels') {
    const pairs = Object.entries(selection.labels)
    const covered =
      pairs.length === 0 ? [] : slos.filter(({ labels }) => pairs.every(([name, value]) => labels[name] === value))
    return { covered, target: pairs.length === 0 ? null : { labels: selection.labels } }
  }
  if (selection.kind === 'team') {
    const covered = slos.filter(({ team_name }) => team_name === selection.team)
    return { covered, target: covered.length === 0 ? null : { sloIds: covered.map(({ id }) => id) } }
  }
  const sloIds = selection.kind === 'slo' ? (selection.id === null ? [] : [selection.id]) : selection.ids
  const chosen = new Set(sloIds)
  return { covered: slos.filter(({ id }) => chosen.has(id)), target: sloIds.length === 0 ? null : { sloIds } }
}

/** Labels (`name=value`) of the SLOs that have all chosen labels, without the names that are chosen already. */
export function labelsToChoose(slos: readonly Labelled[], chosen: Readonly<Record<string, string>>): string[] {
  const { covered } = resolveSelection({ kind: 'labels', labels: chosen }, slos)
  const among = Object.keys(chosen).length === 0 ? slos : covered
  const labels = among.flatMap(({ labels }) =>
    Object.entries(labels).flatMap(([name, value]) => (Object.hasOwn(chosen, name) ? [] : [`${name}=${value}`])),
  )
  return [...new Set(labels)].toSorted()
}
