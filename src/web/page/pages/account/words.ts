const minuteSeconds = 60

/** Remaining time until a form may be sent again: `Try again in 4:05.`; the reason stands before it. */
export function heldSentence(seconds: number): string {
  const rest = String(seconds % minuteSeconds).padStart(2, '0')
  return `Try again in ${Math.floor(seconds / minuteSeconds)}:${rest}.`
}

export function signInWithLabel(provider: string): string {
  return `Sign in with ${provider}`
}

/** Advice if the link to the demo did not sign in. `status`: HTTP status of the refusal. */
export function demoAdvice(status: number): string {
  if (status === 403) {
    return 'Open it there, at a loopback address and without a proxy. From elsewhere: Sign in with the e-mail and the password that the start of the demo printed.'
  }
  if (isTokenRefused(status)) {
    return 'It is good once and for ten minutes, and only while the demo runs. Sign in with the e-mail and the password that the start of the demo printed, or start the demo again for a new link.'
  }
  return 'Sign in with the e-mail and the password that the start of the demo printed.'
}

/** True if the token was refused; the schema refuses an empty one with 400. */
export function isTokenRefused(status: number): boolean {
  return status === 401 || status === 400
}
