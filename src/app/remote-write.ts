import type { Clock } from '../clock.ts'
import { type Config, ConfigError } from '../config.ts'
import { type IsSent, readMatch } from '../embedded/outgoing/match.ts'
import { createReceiver } from '../embedded/outgoing/receiver.ts'
import { createSender, type Sender } from '../embedded/outgoing/sender.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import type { Outbound } from '../http/outbound/outbound.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'

type Deps = {
  config: Config
  samples: SampleStore
  outbound: Outbound
  clock: Clock
  stopwatch: Clock
  log: Log
  metrics: Metrics
  isClosing: () => boolean
  isSent: IsSent
}

/** Creates the sender of samples to the receiver that is configured, if any. */
export function createRemoteWrite(deps: Deps): Sender {
  const { config } = deps
  const receiver = config.remoteWriteUrl === null ? null : createReceiver(config.remoteWriteUrl, config, deps)
  return createSender({ ...deps, receiver })
}

/** Reads which series are to be sent. Throws `ConfigError`. */
export function readRemoteWriteMatch({ remoteWriteMatch }: Config): IsSent {
  try {
    return readMatch(remoteWriteMatch ?? '')
  } catch (cause) {
    throw new ConfigError(`REMOTE_WRITE_MATCH: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
