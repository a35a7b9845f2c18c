import { access } from './access.ts'
import { answers } from './answers.ts'
import { crowds, crowdSettings } from './crowds.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { sockets } from './sockets.ts'
import type { Attack, WorldOptions } from './world.ts'

/** All attacks, by the nines they need. */
export const suites: [name: string, attacks: Attack[], options?: WorldOptions][] = [
  ['answers', answers],
  ['messages', messages],
  ['queries', queries, { env: { QUERY_CPU_SECONDS_PER_MINUTE: '100000' } }], // else the first few would spare the rest
  ['crowds', crowds, { env: crowdSettings }],
  ['access', access],
  ['sockets', sockets, { maxDescriptors: 256 }],
]
