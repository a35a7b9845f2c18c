import { stopwatch } from '../../clock.ts'
import type { JobMessages } from '../../concurrency/job-messages.ts'
import type { WorkerPool } from '../../concurrency/worker-pool.ts'
import type { OnDamage } from '../../db/failures/damage.ts'
import { AppError, isDatabaseDamaged } from '../../errors.ts'
import type { CpuBudget } from '../query-limits.ts'
import { tooSlow } from '../promql/budget.ts'

/** `scheduled`: no user waits for the job; it runs on reserved workers and is not charged to the organization. */
type JobRequest = { organizationId: number; timeoutMs: number; scheduled?: boolean; signal?: AbortSignal }

/**
 * Runs a job for an organization on a worker. `conversation` gets the milliseconds left until the timeout, exchanges messages with
 * the job and returns the result. Throws what the job throws, `too_slow`, `rate_limited`, and `unavailable` once the signal is
 * aborted.
 */
export type JobRunner = <Sent, Received, T>(
  job: string,
  conversation: (messages: JobMessages<Sent, Received>, leftMs: number) => Promise<T>,
  request: JobRequest,
) => Promise<T>

/** Extra time for a worker to stop at its timeout by itself, before it is terminated. */
const graceMs = 500

type Deps = { workers: WorkerPool; budget: CpuBudget; onDamage?: OnDamage }

export function createJobRunner({ workers, budget, onDamage = () => {} }: Deps): JobRunner {
  return async (job, conversation, { organizationId, timeoutMs, scheduled = false, signal }) => {
    const endMs = stopwatch.now() + timeoutMs
    const admit = () => {
      if (!scheduled) budget.assertLeft(organizationId)
    }
    admit()
    try {
      return await workers.run(
        job,
        async (messages: Parameters<typeof conversation>[0]) => {
          const end = scheduled ? () => {} : budget.begin(organizationId)
          try {
            return await conversation(messages, endMs - stopwatch.now())
          } finally {
            end()
          }
        },
        {
          group: organizationId,
          deadlineMs: Math.max(0, timeoutMs) + graceMs,
          urgent: scheduled,
          admit,
          ...(signal && { signal }),
        },
      )
    } catch (error) {
      if (isDatabaseDamaged(error)) onDamage({ file: 'samples.db', problem: 'a query cannot read it' })
      if (signal?.aborted) throw new AppError('unavailable', 'Nobody waits for the answer', { cause: error })
      throw error instanceof AppError && error.kind === 'too_slow' ? tooSlow() : error
    }
  }
}
