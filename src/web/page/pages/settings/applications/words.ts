/** Client ID of an application, which is copied. */
export function clientIdWords(application: string): string {
  return `the client ID of ${application}`
}

export function secretLabel(application: string): string {
  return `Secret of ${application}: it is shown this once.`
}
