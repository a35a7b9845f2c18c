import { signal } from '@preact/signals'
import type { Silence } from '../api/history.ts'

/** Which alerts are held back: those of SLOs, or of all SLOs with some labels. */
export type SilenceTarget =
  { sloIds: readonly number[]; labels?: undefined } | { labels: Readonly<Record<string, string>>; sloIds?: undefined }

/** What the dialog is opened for: something to silence, or a silence to change. */
export type SilenceRequest =
  | { kind: 'create'; target: SilenceTarget | null; team?: string | undefined }
  | { kind: 'change'; silence: Pick<Silence, 'id' | 'until' | 'comment'> }

/** What the dialog is open for; null while it is closed. */
export const silenceRequest = signal<SilenceRequest | null>(null)

/**
 * Opens the dialog from anywhere: for an SLO, several, all with some labels, or those of a team by its name. Without any of
 * these it asks which.
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
