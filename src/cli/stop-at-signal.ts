const stopCodes = { SIGINT: 130, SIGTERM: 143 }

/**
 * For a command that cleans up when it is interrupted: the first SIGINT or SIGTERM aborts `signal`, a second one ends the
 * process.
 */
export function stopAtSignal(): { signal: AbortSignal; exitCode(): number | undefined } {
  const controller = new AbortController()
  let exitCode: number | undefined
  for (const [name, code] of Object.entries(stopCodes)) {
    process.once(name, () => {
      exitCode = code
      controller.abort()
    })
  }
  return { signal: controller.signal, exitCode: () => exitCode }
}
