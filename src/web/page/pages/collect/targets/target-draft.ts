import { authOf, type AuthDraft, draftOfAuth } from '../form/auth.ts'
import { draftOfTiming, freshTiming, type TimingDraft, timingNames, timingOf } from '../form/timing.ts'
import type { Target } from '../types.ts'
import { withScheme } from '../../../ui/form/with-scheme.ts'

/** A scrape target in its form. */
export type TargetDraft = TimingDraft & { url: string; honorLabels: boolean; isPaused: boolean; auth: AuthDraft }

/** API fields of the values whose names differ from those in the API. */
export const targetNames = { ...timingNames, honorLabels: 'honor_labels' }

export function draftOfTarget(target: Target | null): TargetDraft {
  return {
    ...(target ? draftOfTiming(target) : freshTiming),
    url: target?.url ?? '',
    honorLabels: target?.honor_labels ?? false,
    isPaused: target?.is_active === false,
    auth: draftOfAuth(target?.auth ?? null),
  }
}

/** Request body of a scrape target. Throws `FieldProblem` for an invalid field. */
export function bodyOfTarget({ url, honorLabels, isPaused, auth, ...timing }: TargetDraft): object {
  return {
    ...timingOf(timing),
    url: withScheme(url),
    honor_labels: honorLabels,
    is_active: !isPaused,
    auth: authOf(auth),
  }
}
