import { access } from './access.ts'
import { answers } from './answers.ts'
import { browse } from './browse.ts'
import { crowds, crowdSettings } from './crowds.ts'
import { fullSize, fullSizeOptions } from './full-size.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { sockets } from './sockets.ts'
import type { Attack, WorldOptions } from './world.ts'

export type Suite = { attacks: Attack[]; options?: WorldOptions }

/** No CPU limit: with one, only the first queries would run. */
const unbounded = { env: { QUERY_CPU_SECONDS_PER_MINUTE: '100000' } }

/** All attacks, by the settings of nines they need. Each suite has a `.proof.ts` with its name. */
export const suites = {
  answers: { attacks: answers },
  messages: { attacks: messages },
  queries: { attacks: queries, options: unbounded },
  browse: { attacks: browse, options: unbounded },
  crowds: { attacks: crowds, options: { env: crowdSettings } },
  access: { attacks: access },
  sockets: { attacks: sockets, options: { maxDescriptors: 256 } },
  'full-size': { attacks: fullSize, options: fullSizeOptions },
} satisfies Record<string, Suite>
