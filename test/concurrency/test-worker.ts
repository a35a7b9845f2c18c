import { usableMemoryBytes } from '../../src/concurrency/memory.ts'
import { type Handler, serveJobs } from '../../src/concurrency/serve-jobs.ts'
import { AppError } from '../../src/errors.ts'

const loaded = Math.random()
const kept: Float64Array[] = []

serveJobs(
  new Map<string, Handler>([
    ['loaded', async ({ post }) => post(loaded)],
    [
      'add',
      async ({ post, next }) => {
        for (let sum = 0; ;) {
          const number = await next()
          if (typeof number !== 'number') return
          post((sum += number))
        }
      },
    ],
    [
      'for ever',
      async ({ post }) => {
        post('begun')
        for (;;);
      },
    ],
    ['wait', async ({ next }) => void (await next())],
    [
      'wear out',
      async () =>
        void kept.push(
          ...Array.from({ length: 1 + usableMemoryBytes() / 32 / 4_000_000 }, () => new Float64Array(1_000_000)),
        ),
    ],
    ['exit', async () => process.exit(3)],
    ['refuse', async () => Promise.reject(new AppError('too_large', 'It is too large', { details: 'by far' }))],
    ['blunder', async () => Promise.reject(new TypeError('a blunder'))],
  ]),
)
