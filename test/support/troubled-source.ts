import { AppError } from '../../src/errors.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import type { EndpointAuth } from '../../src/http/endpoint-auth.ts'
import { createPrometheus } from '../../src/sources/prometheus/client.ts'
import { closeLater } from './closing.ts'
import { type Fault, faultySource } from './faulty-source.ts'

/** Query time in Unix seconds, as in the captured answers. */
export const at = 1_795_244_760

type Setup = {
  timeoutMs?: number
  concurrency?: number
  auth?: EndpointAuth
  deny?: string[]
  path?: string
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A faulty source, a client that does not wait between its attempts, and the pauses it would have made. */
export function troubled(
  fault: Fault = 'ok',
  { timeoutMs = 5000, concurrency = 8, auth, deny = [], path = '', wait }: Setup = {},
) {
  const server = faultySource(fault)
  closeLater(server.close)
  const pauses: number[] = []
  const prometheus = createPrometheus({
    outbound: createOutbound({ deny }),
    timeoutMs,
    concurrency,
    random: () => 0.5,
    wait: wait ?? (async (ms) => void pauses.push(ms)),
  })
  const access = { id: 7, organizationId: 1, name: 'prod', apiUrl: server.url + path, auth: auth ?? null }
  return { server, pauses, prometheus, access, source: prometheus.open(access) }
}

/** The error of a failed query, as the caller sees it. Throws if it succeeded. */
export async function failure(
  asking: Promise<unknown>,
): Promise<{ kind: string; message: string; details: string | undefined }> {
  const error = await asking.then(
    (answer) => new Error(`answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError)) throw error
  const { kind, message, details } = error
  return { kind, message, details }
}
