/** Writes what a command is doing on the last line of a terminal, in place of what stood there; nothing elsewhere. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/** Empties the line of progress, before a command prints its result. */
export function clearProgress(): void {
  showProgress('')
}
