/** Consequences of disabling the second factor. */
export const disableText = 'Signing in takes the password alone from then on, and the recovery codes end.'

/** Consequence of the organization's requirement. */
export const requiredText = 'Your organization requires a second factor: who disables it sets up another one at once.'
