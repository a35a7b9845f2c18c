const first = Promise.withResolvers<NodeJS.Signals>()
let isReceived = false

/** Resolves with the first SIGTERM or SIGINT since `catchStopSignals`. */
export const stopSignal = first.promise

/** True once `stopSignal` has resolved, or is about to. */
export const isStopRequested = (): boolean => isReceived

/** From now on, a first SIGTERM or SIGINT only resolves `stopSignal`, and a second one ends the process with code 1. */
export function catchStopSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isReceived) process.exit(1)
      isReceived = true
      first.resolve(signal)
    })
  }
}
