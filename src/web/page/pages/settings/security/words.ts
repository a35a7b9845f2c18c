import { plural, sentence } from '../../../format.ts'

/** Right of an application that acts for the person. */
export function applicationRightText(scope: string): string {
  return scope === 'write' ? 'Read and change' : 'Read'
}

/** Consequence of ending all other sessions. */
export function endOthersText(others: number): string {
  return plural(
    others,
    'The other session is signed out at once. API tokens and applications stay.',
    'The # other sessions are signed out at once. API tokens and applications stay.',
  )
}

/** Message after all other sessions were ended. */
export function endedText(ended: number): string {
  return plural(ended, '# other session has ended.', '# other sessions have ended.')
}

/** Consequences of disabling the second factor. */
export const disableText = 'Signing in takes the password alone from then on, and the recovery codes end.'

/** Consequence of the organization's requirement. */
export const requiredText = 'Your organization requires a second factor: who disables it sets up another one at once.'

/** Second factor of the person. `since`: when it was set up; null: not known. */
export function secondFactorSentences<Part>(since: Part | null, codesLeft: number): (Part | string)[] {
  return since === null
    ? sentence`Signing in takes a code of your authenticator app. Recovery codes left: ${String(codesLeft)}.`
    : sentence`Signing in takes a code of your authenticator app, since ${since}. Recovery codes left: ${String(codesLeft)}.`
}

export function sessionEndedText(device: string): string {
  return `${device}: signed out.`
}

export function tokenLabel(name: string): string {
  return `Token ${name}: it is shown this once.`
}
