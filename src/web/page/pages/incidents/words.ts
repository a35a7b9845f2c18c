import { formatBurn, plural, sentence } from '../../format.ts'

/** When an incident failed again, and how often. */
export function relapsedWords<Part>(since: Part, relapses: number): (Part | string)[] {
  return relapses === 1 ? [since] : sentence`${since}, ${plural(relapses, '# time', '# times', String)}`
}

/** An alert with its reason, if it has one. */
export function alertWords<Part>(alert: Part, reason: string | null): (Part | string)[] {
  return reason === null ? [alert] : sentence`${alert}: ${reason}`
}

type Fired<Part> = { began: Part; ended: Part | null; isClosed: boolean; peak: number | null }

/** Time of an alert, with its highest burn rate. `isClosed`: its incident is closed while it still fires. */
export function firedWords<Part>({ began, ended, isClosed, peak }: Fired<Part>): (Part | string)[] {
  const burn = peak === null ? null : formatBurn(peak)
  if (ended !== null) {
    return burn === null ? sentence`${began} to ${ended}` : sentence`${began} to ${ended}, at most ${burn}`
  }
  if (isClosed) {
    return burn === null ? sentence`${began}, still firing` : sentence`${began}, still firing, at most ${burn}`
  }
  return burn === null ? sentence`${began} until now` : sentence`${began} until now, at most ${burn}`
}
