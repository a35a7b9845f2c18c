import { signal } from '@preact/signals'
import type { Silence } from '../api/history.ts'

/** Alerts to silence: those of SLOs, or of all SLOs with some labels. */
export type SilenceTarget =
  { sloIds: readonly number[]; labels?: undefined } | { labels: Readonly<Record<string, string>>; sloIds?: undefined }

/** Purpose of the dialog: a new silence, or a change of one. */
export type SilenceRequest =
  | { kind: 'create'; target: SilenceTarget | null; team?: string | undefined }
  | { kind: 'change'; silence: Pick<Silence, 'id' | 'until' | 'comment'> }

/** Purpose of the open dialog; null while it is closed. */
export const silenceRequest = signal<SilenceRequest | null>(null)

/**
 * Opens the dialog from anywhere: for one SLO, several, all with some labels, or those of a team by its name. Without any of
 * these the user chooses.
 */
export function openSilence(
  of: {
    sloId?: number | undefined
    sloIds?: readonly number[] | undefined
    labels?: Readonly<Record<string, string>> | undefined
    team?: string | undefined
  } = {},
): void {
  const sloIds = of.sloId === undefined ? of.sloIds : [of.sloId]
  const target = sloIds ? { sloIds } : of.labels ? { labels: of.labels } : null
  silenceRequest.value = { kind: 'create', target, team: of.team }
}

/** Opens the dialog to change the end and the reason of a silence. */
export function changeSilence(silence: Pick<Silence, 'id' | 'until' | 'comment'>): void {
  silenceRequest.value = { kind: 'change', silence }
}

export function closeSilence(): void {
  silenceRequest.value = null
}
