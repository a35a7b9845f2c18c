/** Current time in milliseconds since the epoch, by the clock of the browser. */
export function now(): number {
  return Date.now()
}
