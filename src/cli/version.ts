import { version as current } from '../../package.json' with { type: 'json' }

export function version(): number {
  process.stdout.write(`${current}\n`)
  return 0
}
