/** Consequences of removing somebody. */
export function removalText(name: string): string {
  return `${name} is signed out at once, and API tokens and invitations of ${name} end. SLOs, rules and channels stay, without an owner.`
}

/** Consequences of ending the sessions of somebody. */
export function signOutText(name: string): string {
  return `${name} is signed out of every browser at once, and may sign in again. API tokens go on to work.`
}

/** Consequences of leaving the organization. */
export const leaveText =
  'Your account is deleted: you are signed out at once, and your API tokens and invitations end. SLOs, rules and channels stay, without an owner.'

/** Sentence about the link of an invitation. */
export function linkLabel({ email, mailed }: { email: string; mailed: boolean }): string {
  return mailed
    ? `A link was mailed to ${email}. This one works too, once and for seven days.`
    : `Send this link to ${email}. It is good once, for seven days.`
}

/** Consequences of the requirement. */
export const requirementText =
  'Of everybody who signs in with a password. Who has none can do nothing else before setting one up, from the next request on; API tokens and sign-ins by a provider go on.'

export function invitationRevokedText(email: string): string {
  return `${email}: the invitation is revoked.`
}

export function removedText(name: string): string {
  return `${name}: removed.`
}

export function signedOutText(name: string): string {
  return `${name}: signed out everywhere.`
}

export function roleChangedText(name: string): string {
  return `${name}: the role is changed.`
}

/** Error message; its reason follows. */
export function roleNotChangedText(name: string): string {
  return `${name}: the role is not changed.`
}

export function roleLabel(name: string): string {
  return `Role of ${name}`
}
